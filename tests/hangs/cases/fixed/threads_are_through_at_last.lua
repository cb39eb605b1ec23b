scenario { ranks = 2, devices = 4, world = false }

-- Threads enqueue all of their calls and end.
if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get("id")

local function work(me)
  cuda.set_device(me)
  local world, stream = nccl.init_rank(4, id, me), cuda.stream()
  local tp, dp = world:split { color = me // 2 }, world:split { color = me % 2 }
  local x = cuda.buffer("float32", 8):fill(1)
  dp:all_reduce(x, { stream = stream })
  tp:all_reduce(x, { stream = stream })
  stream:sync()
  tp:all_reduce(x, { stream = stream })
  world:all_reduce(x, { stream = stream })
end

local threads = {}
for i = 1, 2 do threads[i] = spawn(work, 2 * rank + i - 1) end
for _, thread in ipairs(threads) do thread:join() end
