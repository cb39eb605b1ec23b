scenario { ranks = 4 }
local x = cuda.buffer("float32", 64)
for _, n in ipairs({ 8, 16, 8, 8 }) do world:all_reduce(x, { count = n }) end
stream:sync()
