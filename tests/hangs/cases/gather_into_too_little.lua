-- The receive buffer of an all-gather holds one block on one rank.
scenario { ranks = 2 }
local grads = cuda.buffer("float32", 1024):fill(1)
local all = cuda.buffer("float32", rank == 1 and 1024 or 2048)
C.check(C.ncclAllGather(grads, all, 1024, C.ncclFloat32, world, stream))
stream:sync()
