scenario {
  about  = "the mended shared_child: every rank destroys the child before the barrier",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  world  = { split_share = true },
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
half:all_reduce(x)
stream:sync()
half:destroy()
barrier()
world:destroy()
