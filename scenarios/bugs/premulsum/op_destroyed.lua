scenario {
  about   = "one rank destroys the operator before the call that uses it",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "L1",
              nccl = "ncclInvalidArgument on that rank, the operator is unknown; the others wait" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "error-path", culprit = run.param.culprit, waiting = "others", call = 2 } }
  end,
}

local x = cuda.buffer("float32", 64):fill(2)
local factor = C.host("float32", 1):fill(0.5)
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, world))

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, half, world, stream))
if rank == param.culprit then
  C.check(C.ncclRedOpDestroy(half, world)) -- right behind a call is early enough, but this is not the last
end
C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, half, world, stream))
stream:sync()
