-- status: 0
-- env: NCCL_DEBUG=WARN
-- prints: NCCL WARN AllReduce
-- The table is changed when it has been looked at.
local env = { NCCL_ALGO = "Ring" }
scenario { ranks = 1, env = env }

env.NCCL_DEBUG_FILE = "/tmp/ncclscript-escape.log"
expect.equal(C.ncclAllReduce(nil, nil, 1, C.ncclFloat32, C.ncclSum, nil, stream), 4)
