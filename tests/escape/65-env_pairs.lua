-- status: 0
-- env: NCCL_DEBUG=WARN
-- prints: NCCL WARN AllReduce
-- A table that is other than it looks: the log would go to a file.
local file = { NCCL_DEBUG_FILE = "/tmp/ncclscript-escape.log" }
scenario { ranks = 1, env = setmetatable({ NCCL_ALGO = "Ring" }, {
  __index = file, __len = function() return 1 end, __pairs = function() return pairs(file) end }) }

expect.equal(C.ncclAllReduce(nil, nil, 1, C.ncclFloat32, C.ncclSum, nil, stream), 4)
