scenario {
  ranks = 2,
  world = { blocking = false },
  about = "a non-blocking communicator is polled before it is used again",
}

world:wait_ready()
local half = world:split { color = 0 }
world:wait_ready()
expect.equal(half.rank, world.rank)
