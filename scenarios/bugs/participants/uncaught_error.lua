scenario {
  about   = "an error that nobody catches is the cause, not the wait that follows from it",
  bug     = { entry = "A4", thread = "pytorch/pytorch#67600",
              nccl = "one rank ends with ncclInvalidArgument, the others hang until somebody kills the job" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { error = "ncclInvalidArgument", rank = run.param.odd, call = "ncclBroadcast",
             finding = { rule = "error-path", culprit = run.param.odd, call = 1, waiting = "others" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
local root = rank == param.odd and -1 or 0 -- "not found" of some look-up
C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, root, world, stream))
stream:sync()
