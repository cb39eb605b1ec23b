scenario { ranks = 4, about = "disjoint communicators, used at any time; ranks that are late" }

local pair = rank // 2
if rank % 2 == 0 then
  store:set("pair " .. pair, nccl.unique_id())
end
local comm = nccl.init_rank(2, store:get("pair " .. pair), rank % 2, { name = "pair" .. pair })
local x = cuda.buffer("int32", 8):fill(rank)

sleep(rank * 600)
for _ = 1, pair + 1 do
  comm:all_reduce(x, { op = "max" })
end
stream:sync()
expect.equal(x, 2 * pair + 1)
comm:destroy() -- without finalize
