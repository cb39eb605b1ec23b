scenario { ranks = 1, devices = 3, world = false, about = "one thread of three devices, which calls for all of them in groups" }

local comms, x = {}, {}
local id = nccl.unique_id()
nccl.group(function()
  for d = 0, 2 do
    cuda.set_device(d)
    comms[d] = nccl.init_rank(3, id, d)
  end
end)
for d = 0, 2 do
  cuda.set_device(d)
  x[d] = cuda.buffer("float32", 8):fill(d)
end
nccl.group(function()
  for d = 2, 0, -1 do comms[d]:all_reduce(x[d]) end
end)
for d = 0, 2 do
  cuda.set_device(d)
  cuda.sync()
  expect.equal(x[d], 3)
end
