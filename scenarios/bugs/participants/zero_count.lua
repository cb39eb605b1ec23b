scenario {
  ranks   = 4,
  about   = "rank 2 has nothing to contribute and passes a count of zero",
  outcome = { hang = { culprit = 2, call = 1, waiting = { 0, 1, 3 }, why = "zero-count" } },
}

local x = cuda.buffer("float32", 256):fill(1)

-- NCCL drops a collective of no elements on the spot: it is not a way to take part.
world:all_reduce(x, { count = rank == 2 and 0 or 256 })
stream:sync()
