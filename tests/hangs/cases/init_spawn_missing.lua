-- Process 1 spawns one thread where the others spawn two: the second of its ranks never joins.
scenario { ranks = 2, devices = 4, world = false, outcome = { hang = { culprit = 3, why = "init-missing-rank" } } }
if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
local function work(me)
  cuda.set_device(me)
  local comm = nccl.init_rank(4, id, me)
  local x = cuda.buffer("float32", 8):fill(me)
  comm:all_reduce(x)
end
local threads = {}
for i = 1, rank == 1 and 1 or 2 do
  threads[i] = spawn(work, 2 * rank + i - 1)
end
for _, thread in ipairs(threads) do
  thread:join()
end
