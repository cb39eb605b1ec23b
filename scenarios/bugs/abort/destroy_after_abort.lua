scenario {
  about   = "after a failure one rank aborts, and the others destroy: with work on the way they wait for it",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "I1", thread = "NVIDIA/nccl#1777",
              nccl = "destroy waits for this rank's own work, which needs the rank that aborted" },
  outcome = function(run)
    return { hang = { why = "abort-one-rank", culprit = run.param.culprit, call = 2,
                      waiting = "others" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank == param.culprit then
  world:abort()
else
  world:all_reduce(x)
  world:destroy() -- abort is what ends a communicator with work on it that cannot end
end
