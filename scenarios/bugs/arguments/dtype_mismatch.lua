scenario {
  ranks   = 3,
  about   = "one rank has mixed precision switched on: half as many bytes",
  outcome = { hang = { culprit = 1, call = 1, waiting = { 0, 1, 2 }, why = "dtype-mismatch" } },
}

local x = cuda.buffer(rank == 1 and "float16" or "float32", 2048):fill(1)
world:all_reduce(x)
stream:sync()
