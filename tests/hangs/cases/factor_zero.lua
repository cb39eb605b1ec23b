-- The lower two bytes of 2.0 as a float32 are 0.
scenario {
  ranks   = 2,
  outcome = { wrong = true, finding = { rule = "zero-factor", culprit = { 0, 1 }, call = 1 } },
}

local x = cuda.buffer("float16", 8):fill(1)
local factor = C.host("float32", 1):fill(2)
local op = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat16, C.ncclScalarHostImmediate, world))
C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat16, op, world, stream))
stream:sync()
expect.equal(x, 4)
