scenario {
  about  = "the mended nonblocking: every rank destroys the communicator before the barrier",
  world  = { blocking = false },
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

world:wait_ready()
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
world:wait_ready()
stream:sync()
world:destroy()
barrier()
