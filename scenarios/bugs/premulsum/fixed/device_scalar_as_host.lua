scenario {
  about  = "the mended device_scalar_as_host: a scalar on the device is given as such",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local kind  = rank == param.culprit and "device" or "pinned"
local scale = cuda.buffer("float32", 1, { memory = kind }):fill(0.5)
local op    = C.check(C.ncclRedOpCreatePreMulSum(scale, C.ncclFloat32, C.ncclScalarDevice, world))
local x     = cuda.buffer("float32", 64):fill(2)

C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
stream:sync()
expect.equal(x, nranks)
C.check(C.ncclRedOpDestroy(op, world))
