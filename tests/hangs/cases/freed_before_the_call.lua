-- One rank reduces through a pointer that it has freed.
scenario { ranks = 2 }
local grads = cuda.buffer("float32", 1024):fill(1)
local p = grads.ptr
if rank == 1 then grads:free() end
C.check(C.ncclAllReduce(p, p, 1024, C.ncclFloat32, C.ncclSum, world, stream))
stream:sync()
