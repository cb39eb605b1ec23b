scenario {
  about  = "the mended bytes_for_count: counts are in elements",
  params = { dtype = "float32" },
  matrix = { ranks = { 2, 4 }, dtype = { "float16", "float32" } },
}

local x = cuda.buffer(param.dtype, 1024):fill(1)
local dtype = param.dtype == "float16" and C.ncclFloat16 or C.ncclFloat32
C.check(C.ncclAllReduce(x, x, #x, dtype, C.ncclSum, world, stream))
stream:sync()
expect.equal(x, nranks)
