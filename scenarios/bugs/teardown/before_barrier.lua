scenario {
  about   = "one rank destroys the communicator before a barrier, the others after it",
  params  = { culprit = 0 },
  matrix  = { ranks = { 3, 4, 8 }, culprit = { 0, 2 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", thread = "vllm-project/vllm#39846",
              nccl = "that rank waits in ncclCommDestroy, the others at the barrier" },
  outcome = function(run)
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all", comm = "world" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank == param.culprit then world:destroy() end
barrier()
if rank ~= param.culprit then world:destroy() end
