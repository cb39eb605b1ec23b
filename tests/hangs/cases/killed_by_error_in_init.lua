scenario { ranks = 3, world = false, outcome = { error = "lua" } }

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank == 1 then
  error("no GPU here")
end
nccl.init_rank(3, store:get("id"), rank)
