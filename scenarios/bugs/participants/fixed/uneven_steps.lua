scenario {
  about   = "the mended uneven_steps: all run as many steps, the last perhaps without a batch",
  params  = { batches = 19 },
  matrix  = { ranks = { 2, 3, 4, 8 }, batches = { 19, 29 } },
}

local mine = param.batches // nranks + (rank < param.batches % nranks and 1 or 0)
local most = (param.batches + nranks - 1) // nranks
local grad = cuda.buffer("float32", 256)
local sum  = 0

for step = 1, most do
  grad:fill(step <= mine and 1 or 0)
  world:all_reduce(grad, { label = "step " .. step })
  stream:sync()
  sum = sum + grad[1]
end
expect.equal(sum, param.batches)
