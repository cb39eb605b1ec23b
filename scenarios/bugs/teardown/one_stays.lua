scenario {
  about   = "one rank does not destroy the communicator: it waits at a barrier that the others reach only after their destroy",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", thread = "NVIDIA/nccl#1777",
              nccl = "the others wait in ncclCommDestroy forever: their proxy threads wait for its connections to close" },
  outcome = function(run)
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all", comm = "world" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank ~= param.culprit then
  world:destroy()
end
barrier() -- it would destroy world only where the program ends
