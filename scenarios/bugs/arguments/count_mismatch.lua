scenario {
  ranks   = 4,
  about   = "the last batch of rank 3 is short, and nobody filled it up",
  outcome = { hang = { culprit = 3, call = 1, waiting = { 0, 1, 2, 3 }, why = "count-mismatch" } },
}

local count = rank == 3 and 1000 or 1024
local x = cuda.buffer("float32", count):fill(1)

world:all_reduce(x) -- accepted on every rank: NCCL checks arguments on this rank only
stream:sync()
