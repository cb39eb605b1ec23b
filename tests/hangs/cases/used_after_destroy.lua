scenario { ranks = 2, devices = 1 } -- a host for each: no destroy waits

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 then
  half:destroy()
end
C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, half, stream)
stream:sync()
