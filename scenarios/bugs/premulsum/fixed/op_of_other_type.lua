scenario {
  about  = "the mended op_of_other_type: the operator is made for the type of the all-reduce",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float16", 64):fill(1)
local factor = C.host("float16", 1):fill(0.5)
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat16, C.ncclScalarHostImmediate, world))

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat16, half, world, stream))
stream:sync()
expect.equal(x, nranks / 2)
C.check(C.ncclRedOpDestroy(half, world))
