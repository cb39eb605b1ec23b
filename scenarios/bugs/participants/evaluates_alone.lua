scenario {
  about   = "after the training one rank evaluates, and the sharded weights are gathered for it",
  bug     = { entry = "A3", thread = "Lightning-AI/pytorch-lightning#19045",
              nccl = "that rank waits for ever in its first gather; all others are done" },
  params  = { odd = 0, layers = 3 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 3, waiting = run.param.odd, why = "extra-call" },
             findings = 1 }
  end,
}

local shard = cuda.buffer("bfloat16", 128):fill(1)
local whole = cuda.buffer("bfloat16", 128 * nranks)

world:all_gather(shard, whole)
world:reduce_scatter(whole, shard)
stream:sync()

if rank == param.odd then
  for layer = 1, param.layers do -- innocent code: it is the model that communicates
    world:all_gather(shard, whole, { label = "layer " .. layer })
    stream:sync()
  end
end
