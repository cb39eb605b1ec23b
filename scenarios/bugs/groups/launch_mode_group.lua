scenario {
  about   = "NCCL_LAUNCH_MODE=GROUP: a launch for one GPU waits for those of the process's others",
  ranks   = 1, world = false,
  params  = { gpus = 2 },
  matrix  = { gpus = { 2, 4 } },
  needs   = { gpus = 4 }, env = { NCCL_LAUNCH_MODE = "GROUP" },
  bug     = { entry = "E1", thread = "NVIDIA/nccl#1144",
              nccl = "hangs in the first ungrouped call; with PARALLEL, the default, it passes" },
  outcome = { hang = { why = "one-thread-no-group", culprit = 0, waiting = 0, comm = "comm1", call = 2 },
              findings = 1 },
}

local comms, x = nccl.init_all(param.gpus), {}
for i, comm in ipairs(comms) do
  x[i] = cuda.buffer("float32", 8, { device = comm.device }):fill(i)
end

nccl.group(function()
  for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
end)
for i, comm in ipairs(comms) do
  comm:all_reduce(x[i]) -- without a group the first of these waits for the others, which come after it
end
for _, comm in ipairs(comms) do comm.stream:sync() end
