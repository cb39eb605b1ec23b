scenario { ranks = 2, world = false, about = "a communicator is split while its init is on the way" }

if rank == 0 then store:set("id", nccl.unique_id()) end
local team = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false, name = "team" })
team:split { color = 0 }
