scenario {
  ranks = 4,
  about = "calls by C names take the type as an argument: when it may differ from the buffer's type",
}

-- Integers of one width are added alike, with a sign or without.
local x = cuda.buffer("int32", 16):fill(rank)
C.check(C.ncclAllReduce(x, x, #x, C.ncclUint32, C.ncclSum, world, stream))

-- A buffer of bytes may hold elements of any type.
local room = cuda.buffer("uint8", 64):fill(0)
C.check(C.ncclAllReduce(room, room, 16, C.ncclFloat32, C.ncclSum, world, stream))

-- What only moves, moves as bytes.
local y = cuda.buffer("float64", 8):fill(rank)
C.check(C.ncclBroadcast(y, y, y.bytes, C.ncclUint8, 0, world, stream))
C.check(C.cudaStreamSynchronize(stream))
expect.equal(x, nranks * (nranks - 1) // 2)
expect.equal(room, 0)
expect.equal(y, 0)
