scenario {
  about   = "one rank's buffer holds a single block where a block of every rank goes",
  needs   = { driver = "sim" },
  params  = { call = "all_gather", culprit = 0 },
  matrix  = { ranks = { 2, 4 }, call = { "all_gather", "reduce_scatter", "all_to_all" }, culprit = { 0, 1 } },
  bug     = { entry = "K2",
              nccl = "reads or writes past the end: wrong values next door, or a late illegal access" },
  outcome = function(run)
    return { error = "cudaErrorIllegalAddress", rank = run.param.culprit,
             findings = 1,
             finding = { rule = "illegal-access", culprit = run.param.culprit, waiting = "others", call = 1 } }
  end,
}

local n, F32 = 1024, C.ncclFloat32
local block = cuda.buffer("float32", n):fill(1)
local all = cuda.buffer("float32", rank == param.culprit and n or n * nranks):fill(1) -- count is per rank
if param.call == "all_gather" then
  C.check(C.ncclAllGather(block, all, n, F32, world, stream))
elseif param.call == "reduce_scatter" then
  C.check(C.ncclReduceScatter(all, block, n, F32, C.ncclSum, world, stream))
else
  local back = cuda.buffer("float32", n * nranks)
  C.check(C.ncclAlltoAll(all, back, n, F32, world, stream))
end
stream:sync()
