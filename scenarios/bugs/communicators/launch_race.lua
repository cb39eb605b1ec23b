scenario {
  about   = "two threads launch on one communicator at the same time: the first is refused at its end",
  ranks   = 1, world = false, needs = { gpus = 2 },
  env     = { NCCL_LAUNCH_MODE = "GROUP" }, -- holds launches open, so that the race is no matter of luck
  bug     = { entry = "F2", thread = "NVIDIA/nccl#858",
              nccl = "refuses it where it notices (NCCL_LAUNCH_RACE_FATAL), else crashes or corrupts" },
  outcome = { error = "ncclInvalidUsage", call = "ncclAllReduce", rank = 0 },
}

local comms, x = nccl.init_all(2), {}
for i, comm in ipairs(comms) do
  x[i] = cuda.buffer("float32", 8, { device = comm.device }):fill(1)
end
nccl.group(function()
  for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
end)

for _ = 1, 2 do -- a communicator is for one thread at a time: both are in the launch at once
  spawn(function() comms[1]:all_reduce(x[1]) end)
end
sleep(0.5)
for _ = 1, 2 do comms[2]:all_reduce(x[2]) end
