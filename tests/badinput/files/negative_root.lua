scenario { ranks = 4 }
local x = cuda.buffer("float32", 4):fill(rank)
world:reduce(x, { root = -1 })
