-- status: 4
-- never: expectation
-- Inside of a group nothing is launched: what is freed before its end is used after it.
scenario { ranks = 2 }

local attack = require "attack"
local x, y = cuda.buffer("float32", 1024):fill(rank), cuda.buffer("float32", 1024):fill(rank)
local _, a = C.cudaPointerGetAttributes(x)
C.ncclGroupStart()
C.ncclAllReduce(y, x, 1024, C.ncclFloat32, C.ncclSum, world, stream)
C.check(C.cudaFree(a.devicePointer))
attack.spray()
C.ncclGroupEnd()
expect.equal(C.cudaStreamSynchronize(stream), 700)
