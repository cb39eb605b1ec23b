scenario { ranks = 2, about = "rank 1 gives a root that does not exist" }

local x, root = cuda.buffer("int32", 4):fill(rank), rank == 1 and 9 or 0
C.check(C.ncclBroadcast(x, x, #x, C.ncclInt32, root, world, stream))
stream:sync()
