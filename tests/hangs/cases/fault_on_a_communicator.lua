scenario {
  ranks   = 2,
  about   = "uses of a function are counted on the communicator that is named",
  outcome = { hang = { culprit = 1, waiting = 0, comm = "world", call = 2, why = "rank-lost" } },
}

local x = cuda.buffer("int32", 8):fill(1)
local half = world:split { color = 0 }
fault.kill { rank = 1, comm = world, func = "ncclAllReduce", nth = 2 }
for _ = 1, 4 do half:all_reduce(x) end
stream:sync()
for _ = 1, 4 do world:all_reduce(x) end
stream:sync()
