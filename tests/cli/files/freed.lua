scenario { ranks = 2, about = "uses what is freed, and never looks" }
local x = cuda.buffer("float32", 8)
local p = x.ptr
x:free()
C.ncclAllReduce(p, p, 8, C.ncclFloat32, C.ncclSum, world, stream)
