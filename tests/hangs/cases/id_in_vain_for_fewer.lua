-- Rank 1 joins with a wrong number of ranks and fails; the others of its team wait for it, and are not to blame.
scenario { ranks = 5, world = false }

if rank < 2 then
  if rank == 0 then
    store:set("id", nccl.unique_id())
  end
  nccl.init_rank(rank == 1 and 1 or 2, store:get("id"), rank, { name = "front" })
end
