scenario {
  about   = "the mended swapped_buffers: one order for all ranks",
  params  = { odd = 3, dtype = "int32" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, dtype = { "int32", "float32" } },
}

local x = cuda.buffer(param.dtype, 4):fill(1)
local y = cuda.buffer(param.dtype, 4):fill(100)

world:all_reduce(x, { label = "x" })
world:all_reduce(y, { label = "y" })
stream:sync()
expect.equal(x, nranks)
expect.equal(y, 100 * nranks)
