scenario {
  about   = "the mended not_a_member: every rank has the communicator, and results are looked at",
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)

local function reduce(y, comm)
  C.check(C.ncclAllReduce(y, y, #y, C.ncclFloat32, C.ncclSum, comm, stream))
end

reduce(x, world)
stream:sync()
expect.equal(x, nranks)
