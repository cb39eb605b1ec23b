-- prints: ranks 0..3 of the run all join comm1 as rank 0 of 4
-- prints: nobody as ranks 1, 2, 3
-- prints: let each of them pass a rank of its own at line 7
scenario { ranks = 4, world = false, outcome = { error = "ncclRemoteError" } }
if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get("id")
local c = nccl.init_rank(4, id, 0)
