scenario { ranks = 1, devices = 2, world = false }

local comms = {}
local id = nccl.unique_id()
nccl.group(function()
  for d = 0, 1 do
    cuda.set_device(d)
    comms[d] = nccl.init_rank(2, id, d)
  end
end)
for d = 0, 1 do
  cuda.set_device(d)
  local x = cuda.buffer("float32", 8):fill(1)
  comms[d]:all_reduce(x)
end
cuda.sync()
