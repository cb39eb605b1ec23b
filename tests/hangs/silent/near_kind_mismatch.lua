scenario { ranks = 3, about = "two names of one broadcast, and other kinds of call step by step" }

local x = cuda.buffer("float32", 6):fill(rank)
if rank == 1 then
  C.check(C.ncclBcast(x, 6, C.ncclFloat32, 2, world, stream))
else
  C.check(C.ncclBroadcast(x, x, 6, C.ncclFloat32, 2, world, stream))
end
world:reduce(x, { root = 1 })
world:all_gather(x)
stream:sync()
