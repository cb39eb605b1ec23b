scenario {
  about   = "the mended uncaught_error: where the look-up finds nothing there is a root all the same",
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x = cuda.buffer("float32", 16):fill(rank + 1)
local root = math.max(rank == param.odd and -1 or 0, 0)
C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, root, world, stream))
stream:sync()
expect.equal(x, 1)
