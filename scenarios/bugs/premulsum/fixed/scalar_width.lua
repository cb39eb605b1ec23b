scenario {
  about  = "the mended scalar_width: the factor is of the operator's own type",
  params = { dtype = "bfloat16" },
  matrix = { ranks = { 2, 4 }, dtype = { "bfloat16", "float16" } },
}

local dtype = param.dtype == "bfloat16" and C.ncclBfloat16 or C.ncclFloat16
local x = cuda.buffer(param.dtype, 64):fill(1)
local factor = C.host(param.dtype, 1):fill(0.5)
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, dtype, C.ncclScalarHostImmediate, world))

C.check(C.ncclAllReduce(x, x, 64, dtype, half, world, stream))
stream:sync()
expect.equal(x, nranks / 2)
C.check(C.ncclRedOpDestroy(half, world))
