scenario { ranks = 2, about = "sums that just fit, one that was infinite before, and products" }

local function sum(dtype, a, b, want, op)
  local x = cuda.buffer(dtype, 8):fill(rank == 0 and a or b)
  world:all_reduce(x, { op = op })
  stream:sync()
  expect.equal(x, want)
end

sum("float16", 65504, -65504, 0)
sum("float16", 32752, 32752, 65504)
sum("float16", math.huge, 1, math.huge)
sum("float16", 40000, 40000, 40000, "avg")
sum("float8e4m3", 224, 224, 448)
sum("float8e4m3", 448, 1, 448) -- rounded
sum("int8", 100, 27, 127)
sum("int8", -100, -28, -128)
sum("uint8", 200, 55, 255)
sum("int32", 2147483647, -1, 2147483646)
sum("float16", 40000, 40000, math.huge, "prod")
