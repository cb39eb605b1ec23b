scenario { ranks = 2, about = "another type each time, and one type by two names" }

for _, dtype in ipairs { "float16", "float32", "int8", "int64" } do
  local x = cuda.buffer(dtype, 8):fill(1)
  world:all_reduce(x)
  stream:sync()
  expect.equal(x, 2)
end
local x = cuda.buffer("int8", 8):fill(1)
C.check(C.ncclAllReduce(x, x, 8, rank == 0 and C.ncclInt8 or C.ncclChar, C.ncclSum, world, stream))
stream:sync()
expect.equal(x, 2)
