scenario {
  about  = "the mended allocated_again: new memory is filled before it is used",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local n = 256
local x = cuda.buffer("float32", n, { stream = stream }):fill(1)
world:all_reduce(x)
stream:sync()
if rank == param.culprit then
  x:free { stream = stream }
  x = cuda.buffer("float32", n, { stream = stream }):fill(nranks)
end
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks ^ 2)
