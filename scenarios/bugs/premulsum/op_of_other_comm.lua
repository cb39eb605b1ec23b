scenario {
  about   = "an operator is made on one communicator and used on another",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "L1",
              nccl = "ncclInvalidArgument on that rank, the operator is unknown there; the others wait" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "error-path", culprit = run.param.culprit, waiting = "others",
                         call = 1, comm = "rows" } }
  end,
}

local rows = world:split { color = 0, name = "rows" }
local x = cuda.buffer("float32", 64):fill(2)
local factor = C.host("float32", 1):fill(0.5)
local owner = rank == param.culprit and world or rows -- an operator belongs to the communicator it is made on
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, owner))

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, half, rows, stream))
stream:sync()
