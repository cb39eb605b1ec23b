scenario { ranks = 2 }

local x = cuda.buffer("float32", 4):fill(1)
world:all_reduce(x, { count = 5 })
