scenario {
  about   = "the mended op_mismatch: both are wanted, so all ranks make both calls",
  params  = { odd = 0, op = "max" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1 }, op = { "max", "avg" } },
}

local x = cuda.buffer("int32", 8):fill(2 * (rank + 1))
local y = cuda.buffer("int32", 8)
world:all_reduce(x, y, { op = param.op })
world:all_reduce(x, { op = "sum" })
stream:sync()
expect.equal(x, nranks * (nranks + 1))
