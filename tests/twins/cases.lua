scenario {
  about = "a case for each combination",
  params = { dtype = "float32", size = 8, op = "sum" },
  matrix = {
    ranks = { 1, 2, 5 },
    dtype = { "float32", "int8", "bfloat16" },
    op = { "sum", "max", "avg" },
  },
  exclude = { { dtype = "int8", op = "avg" }, { ranks = 1, op = "max" } },
}

local x = cuda.buffer(param.dtype, param.size):fill(rank + 1)

world:all_reduce(x, { op = param.op })
stream:sync()
if param.op == "sum" then
  expect.equal(x, nranks * (nranks + 1) // 2)
end
print(param.dtype .. " " .. param.op .. " " .. x[1])
