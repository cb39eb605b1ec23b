scenario {
  about   = "one rank splits a communicator while the others are in a collective on it",
  params  = { culprit = 0 },
  matrix  = { ranks = { 3, 8 }, culprit = { 0, 1 } },
  bug     = { entry = "H4", thread = "ROCm/xla#589",
              nccl = "hangs: the split waits for all ranks, the collective for the one that splits" },
  outcome = function(run)
    return { hang = { why = "skipped-call", culprit = run.param.culprit, call = 2, waiting = "all" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()

local cached = rank ~= param.culprit -- the others believe that they have the communicator already
if not cached then
  world:split { color = 0 }
end
world:all_reduce(x)
stream:sync()
