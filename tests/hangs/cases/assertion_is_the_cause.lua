scenario { ranks = 2, outcome = { wrong = { rank = 1 } } }

local x = cuda.buffer("int32", 4):fill(1)
assert(rank == 0, "only rank 0 likes this")
world:all_reduce(x)
stream:sync()
