scenario {
  about   = "a pointer of pageable host memory is given as a device scalar",
  needs   = { driver = "sim" },
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "L3", nccl = "illegal access when the kernel reads the factor" },
  outcome = function(run)
    return { error = "cudaErrorIllegalAddress", rank = run.param.culprit,
             findings = 1,
             finding = { rule = "illegal-access", culprit = run.param.culprit, waiting = "others", call = 1 } }
  end,
}

local kind  = rank == param.culprit and "pageable" or "pinned" -- the device can read pinned memory only
local scale = cuda.buffer("float32", 1, { memory = kind }):fill(0.5)
local op    = C.check(C.ncclRedOpCreatePreMulSum(scale, C.ncclFloat32, C.ncclScalarDevice, world))
local x     = cuda.buffer("float32", 64):fill(2)

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
stream:sync()
