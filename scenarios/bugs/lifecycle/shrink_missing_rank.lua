scenario {
  about   = "a rank that stays does not come to the shrink: it goes on with the old communicator",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 4, 8 } },
  bug     = { entry = "H4", thread = "NVIDIA/nccl#1777",
              nccl = "all others that stay stand in the shrink, for ever" },
  outcome = function(run)
    local waiting = {} -- all but the last, who is to be left out
    for r = 0, run.nranks - 2 do waiting[r + 1] = r end
    return { hang = { why = "skipped-call", culprit = 1, waiting = waiting }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()

if rank == 1 then -- has not heard that the last rank is to be left out
  world:all_reduce(x)
  stream:sync()
elseif rank < nranks - 1 then
  world:shrink { nranks - 1 }
end
