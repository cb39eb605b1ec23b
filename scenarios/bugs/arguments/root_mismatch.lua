scenario {
  ranks   = 4,
  about   = "rank 3 takes another rank for the root of the broadcast",
  outcome = { hang = { culprit = 3, call = 1, waiting = { 0, 1, 2, 3 }, why = "root-mismatch" } },
}

local x = cuda.buffer("float32", 64):fill(rank)

-- A root is a rank of this communicator: not a device, and not a rank of another communicator.
world:broadcast(x, { root = rank == 3 and 1 or 0 })
stream:sync()
