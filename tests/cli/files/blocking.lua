scenario { ranks = 1, world = false }

local config = C.ncclConfig { blocking = 1 }
local rc, comm = C.ncclCommInitRankConfig(1, nccl.unique_id(), 0, config)
print(rc)
C.check(rc == C.ncclInProgress and 0 or rc)
comm:wait_ready()
comm:abort()
