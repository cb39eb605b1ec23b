scenario {
  about   = "the mended extra_call: all reduce, one rank gets the result",
  params  = { odd = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1, 2 } },
}

local grad = cuda.buffer("float32", 512):fill(1)
local loss = cuda.buffer("float32", 1):fill(rank)

world:all_reduce(grad)
world:reduce(loss, { root = param.odd })
world:all_reduce(grad)
stream:sync()
expect.equal(grad, nranks * nranks)
if rank == param.odd then
  expect.equal(loss, nranks * (nranks - 1) / 2)
end
