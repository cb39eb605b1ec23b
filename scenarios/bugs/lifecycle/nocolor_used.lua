scenario {
  about   = "a rank that took no color in a split uses the communicator that it was not given",
  params  = { culprit = 1 },
  matrix  = { ranks = { 3, 4 }, culprit = { 0, 2 } },
  bug     = { entry = "H4", thread = "NVIDIA/nccl#2397",
              nccl = "ncclInvalidArgument: the communicator is NULL" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "null-communicator", culprit = run.param.culprit } }
  end,
}

local x = cuda.buffer("float32", 8):fill(1)
local _, team = C.check(0, C.ncclCommSplit(world, rank == param.culprit and C.NCCL_SPLIT_NOCOLOR or 0, 0, nil))

-- On the culprit team is NULL. The others have a communicator of all but this rank.
C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, team, stream))
stream:sync()
