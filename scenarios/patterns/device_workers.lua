scenario {
  ranks  = 1,
  world  = false,
  params = { devices = 4, steps = 3 },
  needs  = { gpus = 2 },
  about  = "communicators of one init-all, each handed to a worker thread of its own",
}

-- A wrapper for several devices can also serve programs with a thread per device: it takes the list
-- apart, and each worker makes the calls of its own rank, without groups.
local comms = nccl.init_all(math.min(param.devices, cuda.device_count()))

local function work(comm)
  cuda.set_device(comm.device) -- a thread starts on the process's first device, not on that of comm
  local s = cuda.stream()
  local x = cuda.buffer("int32", 32)
  for step = 1, param.steps do
    x:fill(comm.rank + step)
    comm:all_reduce(x, { stream = s })
    s:sync()
    expect.equal(x, #comms * step + #comms * (#comms - 1) // 2)
  end
  comm:destroy()
  return x[1]
end

local workers = {}
for i, comm in ipairs(comms) do
  workers[i] = spawn(work, comm)
end
local results = {}
for i, worker in ipairs(workers) do
  results[i] = worker:join()
  expect.equal(results[i], results[1])
end
