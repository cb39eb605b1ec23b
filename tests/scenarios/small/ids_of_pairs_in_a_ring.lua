-- never: every rank made its own
-- prints: each waits for a call that another one makes later
-- Each rank makes an id and hands it on: the ids are right, the order is not.
scenario { ranks = 4, world = false, outcome = { hang = true } }
local previous = (rank + 3) % 4
local id = nccl.unique_id()
store:set("pair" .. rank, id)
local a = nccl.init_rank(2, id, 0, { name = "to next" })
local b = nccl.init_rank(2, store:get("pair" .. previous), 1, { name = "from previous" })
