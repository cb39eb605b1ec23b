scenario {
  about   = "the mended group_poisoned: the root is right, and every code is looked at",
  params  = { odd = 2, warm = 0 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, warm = { 0, 1 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(rank)

for _ = 1, param.warm do
  world:all_reduce(x)
end
C.check(C.ncclGroupStart())
C.check(C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream))
C.check(C.ncclBroadcast(y, y, #y, C.ncclFloat32, param.odd, world, stream))
C.check(C.ncclGroupEnd())
C.check(C.cudaStreamSynchronize(stream))
expect.equal(y, param.odd)
