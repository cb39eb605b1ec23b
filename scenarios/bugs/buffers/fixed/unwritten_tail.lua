scenario {
  about  = "the mended unwritten_tail: what a batch does not fill is zero",
  params = { culprit = 0, call = "all_reduce" },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 }, call = { "all_reduce", "reduce", "reduce_scatter" } },
}

local n    = 16 * nranks
local used = rank == param.culprit and n - 10 or n
local x    = cuda.buffer("float32", n):fill(0)
x:slice(1, used):fill(rank + 1)
world[param.call](world, x)
stream:sync()
