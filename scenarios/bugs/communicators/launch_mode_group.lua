scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  env     = { NCCL_LAUNCH_MODE = "GROUP" },
  about   = "NCCL_LAUNCH_MODE=GROUP: a launch for one GPU waits for those of the process's others",
  outcome = { hang = { culprit = 0, waiting = { 0 }, why = "one-thread-no-group", comm = "comm1" } },
}

local comms, x = nccl.init_all(2), {}
for d = 0, 1 do
  cuda.set_device(d)
  x[d] = cuda.buffer("float32", 8):fill(d + 1)
end

nccl.group(function()
  for d = 0, 1 do comms[d + 1]:all_reduce(x[d]) end
end)
for d = 0, 1 do comms[d + 1]:all_reduce(x[d]) end -- with PARALLEL, the default, this passes
for d = 0, 1 do comms[d + 1].stream:sync() end
