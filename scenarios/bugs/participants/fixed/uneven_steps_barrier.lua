scenario {
  about   = "the mended uneven_steps_barrier: agree on the fewest steps before the loop",
  params  = { steps = 10, odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, steps = { 1, 10 } },
}

local grad = cuda.buffer("float32", 256):fill(1)
local flag = cuda.buffer("int32", 1):fill(1)
local mine = cuda.buffer("int32", 1):fill(param.steps - (rank == param.odd and 1 or 0))

world:all_reduce(mine, { op = "min" })
stream:sync()
for _ = 1, mine[1] do
  world:all_reduce(grad, { op = "avg" })
end
world:all_reduce(flag)
stream:sync()
expect.equal(flag, nranks)
