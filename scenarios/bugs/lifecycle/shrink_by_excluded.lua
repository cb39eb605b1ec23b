scenario {
  about   = "a rank that is to be left out of the shrunk communicator calls shrink, too",
  params  = { out = 1 },
  matrix  = { ranks = { 3, 4 }, out = { 0, 2 } },
  bug     = { entry = "H4", thread = "pytorch/pytorch#194775",
              nccl = "ncclInvalidArgument on that rank: shrink is for those who stay" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclCommShrink", rank = run.param.out, findings = 1,
             finding = { rule = "excluded-rank", culprit = run.param.out } }
  end,
}

local rest = world:shrink { param.out } -- on every rank, also on the one that is left out
local x = cuda.buffer("float32", 8):fill(1)
rest:all_reduce(x)
stream:sync()
