scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float16", 8)
world:all_reduce(x, y)
