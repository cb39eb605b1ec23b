scenario {
  about   = "every rank gives the size in bytes where NCCL wants the number of elements",
  needs   = { driver = "sim" },
  params  = { dtype = "float32" },
  matrix  = { ranks = { 2, 4 }, dtype = { "float16", "float32" } },
  bug     = { entry = "K2", nccl = "reads and writes past the end of both buffers" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { error = "cudaErrorIllegalAddress", rank = 0, findings = 1,
             finding = { rule = "illegal-access", culprit = all, call = 1 } }
  end,
}

local x = cuda.buffer(param.dtype, 1024):fill(1)
local dtype = param.dtype == "float16" and C.ncclFloat16 or C.ncclFloat32
C.check(C.ncclAllReduce(x, x, x.bytes, dtype, C.ncclSum, world, stream)) -- #x
stream:sync()
