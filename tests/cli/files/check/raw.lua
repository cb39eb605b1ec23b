scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
C.check(C.ncclAllGather(x, x, 8, C.ncclFloat32, world, stream))
if C.ncclBroadcast(x, x, 8, C.ncclFloat32, 9, world, stream) == 0 then print("no") end
C.check(C.ncclBroadcast(x, x, 8, C.ncclFloat32, 9, world, stream))
