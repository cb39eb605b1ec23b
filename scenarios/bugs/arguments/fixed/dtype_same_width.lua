scenario {
  about   = "the mended dtype_same_width: one type on all ranks",
  params  = { odd = 1, dtype = "int32" },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, dtype = { "int32", "uint32" } },
}

local own = cuda.buffer(rank == param.odd and param.dtype or "float32", 16):fill(1)
local x   = cuda.buffer("float32", 16):fill(own:get())
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
