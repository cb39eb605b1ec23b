scenario {
  ranks = 1,
  world = false, needs = { gpus = 2, nccl = "2.30.3" },
  env = { NCCL_MULTI_RANK_GPU_ENABLE = "1" },
  about = "four ranks on two GPUs: NCCL 2.30.3 and newer, when the environment allows it",
}

local devices = { 0, 0, 1, 1 }
local comms = nccl.init_all(devices)
local x, streams = {}, {}

-- Each rank has a stream of its own: two ranks on one stream would wait for each other for ever.
for i, comm in ipairs(comms) do
  cuda.set_device(devices[i])
  expect.equal(comm.device, devices[i])
  streams[i] = cuda.stream { blocking = false }
  x[i] = cuda.buffer("float32", 64):fill(i)
end
nccl.group(function()
  for i, comm in ipairs(comms) do
    comm:all_reduce(x[i], { stream = streams[i] })
  end
end)
for i in ipairs(comms) do
  streams[i]:sync()
  expect.equal(x[i], 1 + 2 + 3 + 4)
end
