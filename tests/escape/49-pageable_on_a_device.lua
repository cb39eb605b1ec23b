-- status: 4
-- prints: not wholly inside device memory
-- never: expectation
-- Collectives and kernels are given the script's own memory, and pointers beyond any.
scenario { ranks = 1 }

local host = C.host("float32", 64):fill(7)
local x = cuda.buffer("float32", 64):fill(1)
C.ncclAllReduce(x.ptr + (1 << 40), x, 64, C.ncclFloat32, C.ncclSum, world, stream)
C.ncclAllReduce(host, x, 64, C.ncclFloat32, C.ncclSum, world, stream)
C.cudaStreamSynchronize(stream)
expect.equal(host, 7)
