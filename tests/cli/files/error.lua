scenario { ranks = 2, about = "rank 1 gives a root that does not exist" }

local x = cuda.buffer("int32", 4):fill(rank)
world:broadcast(x, { root = rank == 1 and 9 or 0 })
stream:sync()
