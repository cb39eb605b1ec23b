scenario { ranks = 2 }

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  C.ncclBroadcast(x, x, 8, C.ncclFloat32, nranks, world, stream)
end
print "done"
