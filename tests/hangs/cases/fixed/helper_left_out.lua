scenario { ranks = 4 }

local function reduce(count)
  local x = cuda.buffer("float32", count)
  world:all_reduce(x)
  stream:sync()
end

for layer = 1, 4 do
  reduce(64 * layer)
end
