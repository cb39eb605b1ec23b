-- Rank 2 takes the ids of its two groups in the other order; both come from the store under keys of their own.
scenario { ranks = 4, world = false, outcome = { hang = { culprit = 2, why = "init-clash" } } }
local tp, dp = rank // 2, rank % 2
if rank % 2 == 0 then store:set("tp" .. tp, nccl.unique_id()) end
if rank < 2 then store:set("dp" .. dp, nccl.unique_id()) end
local a, b = store:get("tp" .. tp), store:get("dp" .. dp)
if rank == 2 then a, b = b, a end
sleep(rank / 1000)
local c1 = nccl.init_rank(2, a, rank % 2)
local c2 = nccl.init_rank(2, b, rank // 2)
local x = cuda.buffer("float32", 8):fill(rank)
c1:all_reduce(x)
c2:all_reduce(x)
stream:sync()
