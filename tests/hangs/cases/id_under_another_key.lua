scenario { ranks = 2, world = false, about = "a rank waits for the id under a key that nobody sets" }

if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get(rank == 1 and "unique id" or "id")
nccl.init_rank(nranks, id, rank)
