scenario {
  about  = "the mended average_wraps: the sum has room in a wider type",
  params = { dtype = "int8" },
  matrix = { dtype = { "int8", "uint8" } },
}

local value = param.dtype == "int8" and 100 or 200
local x = cuda.buffer("int32", 4):fill(value)
world:all_reduce(x, { op = "avg" })
stream:sync()
expect.equal(x, value)
