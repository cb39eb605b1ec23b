scenario {
  ranks   = 2,
  world   = { blocking = false },
  sim     = { ready_after = 4 }, -- in progress until it is asked
  about   = "a non-blocking communicator is used while it is still in progress",
  outcome = { error = "ncclInvalidArgument" },
}

world:wait_ready()
local half = world:split { color = 0 }

-- world is in progress until it says otherwise: world:wait_ready() belongs here.
print(world.rank, half)
