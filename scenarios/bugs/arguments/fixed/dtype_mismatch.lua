scenario {
  about   = "the mended dtype_mismatch: converted to what was agreed on before it communicates",
  params  = { odd = 1, dtype = "float16", warm = 0 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 1 }, dtype = { "float16", "float64" }, warm = { 0, 1 } },
  exclude = { { dtype = "float64", warm = 1 } },
}

for _ = 1, param.warm do
  world:all_reduce(cuda.buffer("float32", 1):fill(1))
end
local dtype = rank == param.odd and param.dtype or "float32"
local own = cuda.buffer(dtype, 2048):fill(1)
local x = cuda.buffer("float32", 2048):fill(own:get())
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
