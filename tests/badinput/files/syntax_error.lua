scenario { ranks = 2 }

local x = cuda.buffer("float32", 4
world:all_reduce(x)
