scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  env     = { NCCL_LAUNCH_MODE = "GROUP" }, -- holds launches open, so that the race is no matter of luck
  about   = "two threads launch on one communicator at the same time: the first is refused at its end",
  outcome = { error = "ncclInvalidUsage", call = "ncclAllReduce" },
}

local comms, x = nccl.init_all(2), {}
for d = 0, 1 do
  cuda.set_device(d)
  x[d] = cuda.buffer("float32", 8):fill(1)
end
nccl.group(function()
  for d = 0, 1 do comms[d + 1]:all_reduce(x[d]) end
end)

for _ = 1, 2 do
  spawn(function() comms[1]:all_reduce(x[0]) end)
end
sleep(0.1)
for _ = 1, 2 do comms[2]:all_reduce(x[1]) end
