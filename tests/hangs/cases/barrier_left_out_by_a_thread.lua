-- Ranks come to the barrier in threads: that of rank 3 does not.
scenario { ranks = 2, devices = 4, world = false, outcome = { hang = { culprit = 3, why = "host-wait" } } }
if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get("id")
local function work(me)
  cuda.set_device(me)
  local w = nccl.init_rank(4, id, me)
  local x = cuda.buffer("float32", 8):fill(0)
  local s = cuda.stream()
  w:all_reduce(x, { stream = s })
  s:sync()
  sleep(me / 1000)
  if me ~= 3 then barrier() end
  w:all_reduce(x, { stream = s })
  s:sync()
end
local ts = {}
for i = 1, 2 do ts[i] = spawn(work, 2 * rank + i - 1) end
for _, t in ipairs(ts) do t:join() end
