scenario {
  about  = "the mended stale_handle: made anew on every rank, and no copy of the old handle is left",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 64):fill(1)
local function scale(factor)
  local scalar = C.host("float32", 1):fill(factor)
  return C.check(C.ncclRedOpCreatePreMulSum(scalar, C.ncclFloat32, C.ncclScalarHostImmediate, world))
end

local op = scale(2)
C.check(C.ncclRedOpDestroy(op, world))
local half = scale(0.5)
op = scale(2)
C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
stream:sync()
expect.equal(x, 2 * nranks)
C.check(C.ncclRedOpDestroy(op, world))
C.check(C.ncclRedOpDestroy(half, world))
