scenario {
  about  = "the mended op_of_other_comm: every communicator has an operator of its own",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local rows = world:split { color = 0, name = "rows" }
local x = cuda.buffer("float32", 64):fill(2)
local factor = C.host("float32", 1):fill(0.5)
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, rows))

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, half, rows, stream))
stream:sync()
expect.equal(x, nranks)
C.check(C.ncclRedOpDestroy(half, rows))
