scenario {
  about  = "the mended one_stays: every rank destroys the communicator before the barrier",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
world:destroy()
barrier()
