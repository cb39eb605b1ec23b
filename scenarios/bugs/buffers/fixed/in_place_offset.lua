scenario {
  about  = "the mended in_place_offset: what a rank sends lies where it will stand in the result",
  matrix = { ranks = { 2, 3, 8 } },
}

local n   = 4
local all = cuda.buffer("int32", nranks * n):fill(-1)

local mine = all:slice(rank * n + 1, n):fill(rank + 1)
world:all_gather(mine, all)
stream:sync()
expect.equal(all, function(i) return (i - 1) // n + 1 end)
