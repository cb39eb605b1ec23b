scenario {
  about  = "the mended dtype_of_buffer: the type of the buffer; or one in which the calculation is the same",
  params = { dtype = "float64" },
  matrix = { ranks = { 2, 3, 4 }, dtype = { "float64", "int32", "uint8" } },
}

-- int32 and uint32 are added alike, and a buffer of bytes may hold elements of any type.
local as    = { float64 = C.ncclFloat64, int32 = C.ncclUint32, uint8 = C.ncclFloat32 }
local x     = cuda.buffer(param.dtype, 16):fill(0)
local dtype = as[param.dtype]
C.check(C.ncclAllReduce(x, x, x.bytes // C.sizeof(dtype), dtype, C.ncclSum, world, stream))
C.check(C.ncclBroadcast(x, x, x.bytes, C.ncclUint8, 0, world, stream)) -- moves bytes
stream:sync()
expect.equal(x, 0)
