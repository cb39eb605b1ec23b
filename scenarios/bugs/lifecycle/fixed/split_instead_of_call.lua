scenario {
  about  = "the mended split_instead_of_call: all ranks decide together whether to split",
  params = { culprit = 0 },
  matrix = { ranks = { 3, 8 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()

local missing = cuda.buffer("int32", 1):fill(rank == param.culprit and 1 or 0)
world:all_reduce(missing, { op = "max" })
stream:sync()
if missing[1] == 1 then
  world:split { color = 0 }
end
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks ^ 2)
