scenario {
  about   = "an all-gather in place with the own block at the start: right on rank 0 only",
  matrix  = { ranks = { 2, 3, 8 } },
  bug     = { entry = "K1", thread = "llnl/Aluminum#21",
              nccl = "no error; every rank but the first sends the wrong block" },
  outcome = function(run)
    local behind = {} -- on rank 0 the start is the own block
    for r = 1, run.nranks - 1 do behind[r] = r end
    return { wrong = { rank = 0 }, findings = 0,
             finding = { rule = "buffer-overlap", culprit = behind, call = 1, certainty = "undefined" } }
  end,
}

local n   = 4
local all = cuda.buffer("int32", nranks * n):fill(-1)

-- What a rank sends must lie at rank * count of the receive buffer: here it is at 0 everywhere.
local mine = all:slice(1, n):fill(rank + 1)
world:all_gather(mine, all)
stream:sync()
expect.equal(all, function(i) return (i - 1) // n + 1 end)
