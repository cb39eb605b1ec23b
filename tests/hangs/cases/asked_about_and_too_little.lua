-- A question about memory does not free it.
scenario { ranks = 2 }
local grads = cuda.buffer("float32", 1024, { memory = "pinned" }):fill(1)
local all = cuda.buffer("float32", rank == 1 and 1024 or 2048, { memory = "pinned" })
C.check(C.cudaHostGetFlags(all))
C.check(C.ncclAllGather(grads, all, 1024, C.ncclFloat32, world, stream))
stream:sync()
