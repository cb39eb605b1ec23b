scenario { ranks = 2, about = "one communicator after the other, NULL destroyed, and a call that fails on one that is alive" }

local x = cuda.buffer("float32", 8):fill(1)
for turn = 1, 3 do
  local comm = world:split { color = 0, name = "turn " .. turn }
  comm:all_reduce(x)
  expect.equal(C.ncclBroadcast(x, x, 8, C.ncclFloat32, 9, comm, stream), C.ncclInvalidArgument)
  stream:sync()
  comm:destroy()
end
expect.equal(C.ncclCommDestroy(nil), C.ncclSuccess)
world:all_reduce(x)
stream:sync()
