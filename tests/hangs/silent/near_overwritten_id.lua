scenario { ranks = 2, world = false, about = "two ranks put an id under one key, one after the other: each serves before the next comes" }

for maker = 0, 1 do
  if rank == maker then store:set("id", nccl.unique_id()) end
  barrier()
  nccl.init_rank(nranks, store:get("id"), rank)
  barrier()
end
