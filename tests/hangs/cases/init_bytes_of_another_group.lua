-- As init_id_of_another_group, with the bytes of ids, as a binding exchanges them.
scenario { ranks = 4, world = false }
local group = rank % 2
if rank < 2 then store:set("dp" .. rank, nccl.unique_id():bytes()) end
local id = nccl.unique_id(store:get("dp" .. (rank == 2 and 1 or group)))
sleep(rank / 1000)
local comm = nccl.init_rank(2, id, rank // 2)
local x = cuda.buffer("float32", 8):fill(rank)
comm:all_reduce(x)
stream:sync()
