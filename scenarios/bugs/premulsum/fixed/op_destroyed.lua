scenario {
  about  = "the mended op_destroyed: destroyed right behind the last call, which has copied what it needs",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 64):fill(2)
local factor = C.host("float32", 1):fill(0.5)
local half = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, world))

for _ = 1, 2 do
  C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, half, world, stream))
end
C.check(C.ncclRedOpDestroy(half, world))
stream:sync()
expect.equal(x, nranks ^ 2 / 2)
