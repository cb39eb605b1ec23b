scenario {
  about   = "a call that waits for the whole device stands between the launches of two ranks of a process",
  ranks   = 1, world = false,
  params  = { call = "free" },
  matrix  = { call = { "free", "sync", "copy" } },
  needs   = { gpus = 2 },
  bug     = { entry = "G4", thread = "NVIDIA/nccl#48", nccl = "hangs with the GPUs at 100 %" },
  outcome = { hang = { why = "one-thread-no-group", culprit = 0, waiting = 0, comm = "comm1", call = 2 },
              findings = 1 },
}

local comms, x = nccl.init_all(2), {}
for i, comm in ipairs(comms) do
  x[i] = cuda.buffer("float32", 8, { device = comm.device }):fill(1)
end
nccl.group(function()
  for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
end)

local scratch, other = cuda.buffer("float32", 8), cuda.buffer("float32", 8)
comms[1]:all_reduce(x[1])
-- The device is busy until the other one has launched its part, which this thread would do next.
if param.call == "free" then scratch:free()
elseif param.call == "sync" then cuda.sync()
else scratch:copy_from(other) comms[1].stream:sync() end
comms[2]:all_reduce(x[2])
comms[2].stream:sync()
