scenario {
  about   = "the mended group_end_too_many: as many ends as starts",
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)

C.check(C.ncclGroupStart())
world:all_reduce(x)
C.check(C.ncclGroupEnd())
stream:sync()
expect.equal(x, nranks)
