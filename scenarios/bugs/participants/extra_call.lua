scenario {
  about   = "one rank makes a call of its own between two that all make",
  bug     = { entry = "A3", thread = { "speechbrain/speechbrain#2401", "deepspeedai/DeepSpeed#801" },
              nccl = "every later call of that rank is one behind: all wait, or data gets mixed up" },
  params  = { odd = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1, 2 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 2, waiting = "all", why = "extra-call" },
             findings = 1 }
  end,
}

local grad = cuda.buffer("float32", 512):fill(1)
local loss = cuda.buffer("float32", 1):fill(rank)

world:all_reduce(grad)

if rank == param.odd then
  world:reduce(loss, { root = rank }) -- "only this rank needs it": but all have to take part
end

world:all_reduce(grad)
stream:sync()
