scenario { ranks = 1, devices = 3, world = false, outcome = { hang = { culprit = 1, why = "skipped-call" } } }
local function work(comm)
  cuda.set_device(comm.device)
  local s, x = cuda.stream(), cuda.buffer("float32", 8):fill(comm.rank)
  comm:all_reduce(x, { stream = s })
  if comm.rank == 1 then return end
  comm:reduce(x, { stream = s })
  s:sync()
end
local threads = {}
for i, comm in ipairs(nccl.init_all(3)) do threads[i] = spawn(work, comm) end
for _, thread in ipairs(threads) do thread:join() end
