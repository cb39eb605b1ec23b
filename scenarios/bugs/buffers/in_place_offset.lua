scenario {
  ranks   = 3,
  about   = "an all-gather in place with the own block at the start: right on rank 0 only",
  outcome = { wrong = true },
}

local n   = 4
local all = cuda.buffer("int32", nranks * n):fill(-1)

-- What a rank sends must lie at rank * count of the receive buffer: here it is at 0 everywhere.
all:slice(1, n):fill(rank + 1)
world:all_gather(all:slice(1, n), all)
stream:sync()
expect.equal(all, function(i) return (i - 1) // n + 1 end)
