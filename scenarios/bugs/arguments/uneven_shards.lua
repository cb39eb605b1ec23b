scenario {
  about   = "the last shard is shorter, and every rank gathers its own count",
  bug     = { entry = "C1", thread = { "NVIDIA/nccl#969", "NVIDIA/nccl#1328", "NVIDIA/nccl#531" },
              nccl = "may hang, may leave gaps and garbage: every rank computes its own offsets" },
  params  = { call = "all_gather", length = 1003 },
  matrix  = { ranks = { 3, 8 }, call = { "all_gather", "reduce_scatter" } },
  outcome = function(run)
    return { hang = { culprit = run.nranks - 1, call = 2, waiting = "all", why = "count-mismatch" },
             findings = 1 }
  end,
}

local most  = (param.length + nranks - 1) // nranks
local count = math.min(most, param.length - rank * most)
local x     = cuda.buffer("bfloat16", most * nranks):fill(1)
local y     = cuda.buffer("bfloat16", most * nranks)

world:all_reduce(x, y)
world[param.call](world, x, y, { count = count }) -- not the same on the last rank
stream:sync()
