-- The own block at the start of the receive buffer: right on rank 0 only.
scenario {
  ranks   = 3,
  outcome = { wrong = true, finding = { rule = "buffer-overlap", culprit = { 1, 2 }, call = 2,
                                        certainty = "undefined" } },
}

local all = cuda.buffer("int32", 12)
local mine = all:slice(1, 4)
world:all_reduce(mine:fill(1)) stream:sync()
mine:fill(rank + 1)
world:all_gather(mine, all)
stream:sync()
expect.equal(all:part(1), 2)
