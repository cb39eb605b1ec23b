scenario {
  about  = "the mended in_place_scatter: the result goes into the own block",
  matrix = { ranks = { 2, 4 } },
}

local n   = 4
local all = cuda.buffer("int32", nranks * n):fill(function(i) return (i - 1) // n + 1 end)

world:reduce_scatter(all, all:part(rank))
stream:sync()
expect.equal(all:part(rank), nranks * (rank + 1))
