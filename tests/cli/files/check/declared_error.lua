scenario { ranks = 2, outcome = { error = "ncclInvalidArgument" } }
local x = cuda.buffer("float32", 8):fill(1)
C.check(C.ncclBroadcast(x, x, 8, C.ncclFloat32, 9, world, stream))
