scenario { ranks = 1, world = false, devices = 2 }

local comms, streams = nccl.init_all { 0, 1 }, {}
nccl.group(function()
  for i, comm in ipairs(comms) do
    cuda.set_device(i - 1)
    streams[i] = cuda.stream()
    comm:signal(2 - i, { stream = streams[i] })
  end
end)
for i, comm in ipairs(comms) do
  cuda.set_device(i - 1)
  comm:wait_signal(2 - i, { stream = streams[i] })
  comm:wait_signal(2 - i, { stream = streams[i] })
  streams[i]:sync()
end
