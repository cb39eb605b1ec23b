scenario {
  about  = "the mended narrow_sum: the sum is made in a type that holds it",
  params = { dtype = "float16" },
  matrix = { ranks = { 2, 4 }, dtype = { "float16", "int8" } },
}

local large = param.dtype == "float16" and 40000 or 100
local x = cuda.buffer(param.dtype == "float16" and "float32" or "int32", 4):fill(rank < 2 and large or 0)
world:all_reduce(x)
stream:sync()
expect.equal(x, 2 * large)
