scenario { ranks = 3 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
assert(C.cudaSetDevice(rank == 1 and 99 or rank) == C.cudaSuccess or rank == 1)
world:all_reduce(x, { op = "max" })
world:broadcast(x)
stream:sync()
