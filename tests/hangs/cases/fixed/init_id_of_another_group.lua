scenario { ranks = 4, world = false }
local group = rank % 2
if rank < 2 then store:set("dp" .. rank, nccl.unique_id()) end
local id = store:get("dp" .. group)
sleep(rank / 1000)
local comm = nccl.init_rank(2, id, rank // 2)
local x = cuda.buffer("float32", 8):fill(rank)
comm:all_reduce(x)
stream:sync()
