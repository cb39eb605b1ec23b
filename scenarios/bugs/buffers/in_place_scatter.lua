scenario {
  about   = "a reduce-scatter in place whose result goes to the start: it belongs into the own block",
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "K1", thread = "openucx/ucc#153",
              nccl = "no error; the result stands where nobody looks for it, over a block that is needed" },
  outcome = function(run)
    local behind = {} -- on rank 0 the start is the own block
    for r = 1, run.nranks - 1 do behind[r] = r end
    return { wrong = { rank = 1 }, findings = 0,
             finding = { rule = "buffer-overlap", culprit = behind, call = 1, certainty = "undefined" } }
  end,
}

local n   = 4
local all = cuda.buffer("int32", nranks * n):fill(function(i) return (i - 1) // n + 1 end)

-- In place the result of rank r is at r * count of what it sends: here it is at 0 everywhere.
world:reduce_scatter(all, all:slice(1, n))
stream:sync()
expect.equal(all:part(rank), nranks * (rank + 1))
