scenario {
  about   = "one thread launches for both devices of a process, another frees memory between the two",
  ranks   = 1, world = false, needs = { gpus = 2 },
  bug     = { entry = "G4", thread = "pytorch/pytorch#50925",
              nccl = "hangs when the freeing thread holds a lock that the launching one wants" },
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

local scratch = cuda.buffer("float32", 8)
local cleaner = spawn(function()
  store:get("half way")
  scratch:free()           -- waits for device 0, holding the lock of the allocator
  store:set("lock", true)
end)
comms[1]:all_reduce(x[1])
store:set("half way", true)
store:get("lock")          -- a buffer for device 1 is wanted, and the allocator is locked
comms[2]:all_reduce(x[2])
cleaner:join()
