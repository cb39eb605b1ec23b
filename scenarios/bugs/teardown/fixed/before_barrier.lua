scenario {
  about  = "the mended before_barrier: the barrier comes first on every rank",
  params = { culprit = 0 },
  matrix = { ranks = { 3, 4, 8 }, culprit = { 0, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
barrier()
world:destroy()
