scenario {
  about   = "the destroy of a non-blocking communicator blocks, too, and one rank does not call it",
  world   = { blocking = false },
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", nccl = "the others wait in ncclCommDestroy, which blocks whatever the communicator is" },
  outcome = function(run)
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all" }, findings = 1 }
  end,
}

world:wait_ready()
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
world:wait_ready()
stream:sync()
if rank ~= param.culprit then
  world:destroy()
end
barrier()
