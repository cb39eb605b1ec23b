scenario {
  about   = "a scalar in device memory is given as one of the host: the call reads it at once",
  needs   = { driver = "sim" }, -- NCCL ends the process
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "L3", nccl = "the host reads device memory: a segmentation fault" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", rank = run.param.culprit, findings = 2,
             finding = { rule = "real-library-crash", culprit = run.param.culprit } }
  end,
}

local kind  = rank == param.culprit and "device" or "pinned" -- the host can read pinned memory
local scale = cuda.buffer("float32", 1, { memory = kind }):fill(0.5)
local op    = C.check(C.ncclRedOpCreatePreMulSum(scale, C.ncclFloat32, C.ncclScalarHostImmediate, world))
local x     = cuda.buffer("float32", 64):fill(2)

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
stream:sync()
