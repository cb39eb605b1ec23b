scenario {
  about   = "all ranks but one finalize and destroy; that rank waits for what the others do after their destroy",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", nccl = "the others wait in ncclCommDestroy; their finalize did not wait for it" },
  outcome = function(run)
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank ~= param.culprit then
  world:finalize()
  world:destroy()
end
barrier()
