scenario {
  about  = "the mended child_before_ready: first the parent is polled, then the child",
  world  = { blocking = false },
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

world:wait_ready()
local x = cuda.buffer("float32", 4):fill(1)
if rank == 1 - param.culprit then sleep(1) end
local half = world:split { color = 0, name = "half" }
world:wait_ready()
half:wait_ready()
half:all_reduce(x)
half:wait_ready()
stream:sync()
expect.equal(x, nranks)
