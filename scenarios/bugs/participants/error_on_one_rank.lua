scenario {
  ranks   = 3,
  about   = "a launch fails on one rank, which ends; the others wait for it",
  outcome = { error = "ncclSystemError", rank = 2, call = "ncclAllGather" },
}

local x, all = cuda.buffer("int32", 4):fill(rank), cuda.buffer("int32", 4 * nranks)
fault.fail { rank = 2, func = "ncclAllGather", nth = 2, code = "ncclSystemError" }
for _ = 1, 3 do world:all_gather(x, all) end
stream:sync()
