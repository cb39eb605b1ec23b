scenario { ranks = 1 }
local bytes = store:get("bytes", { timeout = 0 })
nccl.unique_id(bytes)
