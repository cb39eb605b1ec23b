scenario { ranks = 4 }
local x = cuda.buffer("float32", 4):fill(rank)
world:broadcast(x, { root = 7 })
