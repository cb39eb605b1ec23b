-- The number of ranks comes from somewhere else: nobody can be the fifth.
scenario { ranks = 4, world = false, outcome = { hang = { why = "init-missing-rank" } } }

if rank == 0 then
  store:set("id", nccl.unique_id())
end
nccl.init_rank(5, store:get("id"), rank, { name = "big" })
