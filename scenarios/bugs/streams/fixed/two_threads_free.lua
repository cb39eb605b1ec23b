scenario {
  about = "the mended two_threads_free: both launches are in one group, and the lock is taken outside of it",
  ranks = 1, world = false, needs = { gpus = 2 },
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
  scratch:free()
  store:set("lock", true)
end)
nccl.group(function()
  for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
end)
store:set("half way", true)
store:get("lock")
cleaner:join()
for _, comm in ipairs(comms) do comm.stream:sync() end
expect.equal(x[2], 4)
