scenario { ranks = 8, about = "ranks that join a communicator and end" }
assert(world.rank == rank)
