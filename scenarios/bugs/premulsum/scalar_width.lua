scenario {
  about   = "an operator for 16-bit elements is made from a 32-bit factor: NCCL reads its first two bytes",
  params  = { dtype = "bfloat16" },
  matrix  = { ranks = { 2, 4 }, dtype = { "bfloat16", "float16" } },
  bug     = { entry = "L2", thread = "pytorch/pytorch#190745",
              nccl = "no error: the factor is 0, and all gradients with it" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { wrong = { rank = 0 }, findings = 0,
             finding = { rule = "zero-factor", culprit = all, call = 1 } }
  end,
}

local dtype = param.dtype == "bfloat16" and C.ncclBfloat16 or C.ncclFloat16
local x = cuda.buffer(param.dtype, 64):fill(1)
local factor = C.host("float32", 1):fill(0.5) -- 0x3f000000: the first two bytes are 0
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, dtype, C.ncclScalarHostImmediate, world))

C.check(C.ncclAllReduce(x, x, 64, dtype, half, world, stream))
C.check(C.ncclRedOpDestroy(half, world))
stream:sync()
expect.equal(x, nranks / 2)
