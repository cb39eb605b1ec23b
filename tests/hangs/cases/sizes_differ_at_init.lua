scenario { ranks = 2, world = false, outcome = { hang = { why = "init-clash" } } }

if rank == 0 then
  store:set("id", nccl.unique_id())
end
nccl.init_rank(rank == 0 and 2 or 3, store:get("id"), rank)
