scenario { ranks = 3, about = "a call that fails on one rank, whose place a good one takes" }

local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 then
  expect.equal(C.ncclBroadcast(x, x, 8, C.ncclFloat32, 9, world, stream), C.ncclInvalidArgument)
end
world:broadcast(x, { root = 0 })
world:all_reduce(x)
stream:sync()
expect.equal(x, 3)
