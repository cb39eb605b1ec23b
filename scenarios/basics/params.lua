scenario {
  ranks  = 3,
  about  = "parameters: ncclscript run --set count=4096 --set dtype=float16 params.lua",
  params = { count = 1000, dtype = "float32", steps = 2 },
}

local x = cuda.buffer(param.dtype, param.count):fill(1)
for _ = 1, param.steps do
  world:all_reduce(x, { op = "max" })
end
stream:sync()
expect.equal(x, 1)
