scenario {
  about   = "an operator made for float32 is used in a float16 all-reduce",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "L2", thread = "pytorch/pytorch#190747",
              nccl = "ncclInvalidArgument on that rank; the others wait" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "error-path", culprit = run.param.culprit, waiting = "others", call = 1 } }
  end,
}

local x = cuda.buffer("float16", 64):fill(1)
local name = rank == param.culprit and "float32" or "float16" -- the type of the gradients, as it was once
local dtype = name == "float32" and C.ncclFloat32 or C.ncclFloat16
local factor = C.host(name, 1):fill(0.5)
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, dtype, C.ncclScalarHostImmediate, world))

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat16, half, world, stream))
stream:sync()
