scenario { ranks = 3 }

local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 then
  world:finalize()
end
C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, world, stream)
stream:sync()
