scenario { ranks = 2, world = false, outcome = { hang = { waiting = { 0, 1 } } } }

if rank == 0 then
  store:set("a", nccl.unique_id())
  store:set("b", nccl.unique_id())
end
local first, second = "a", "b"
if rank == 1 then
  first, second = second, first
end
nccl.init_rank(2, store:get(first), rank, { name = first })
nccl.init_rank(2, store:get(second), rank, { name = second })
