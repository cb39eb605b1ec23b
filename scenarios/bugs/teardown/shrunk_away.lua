scenario {
  about   = "a rank that a shrink left out keeps its old communicator, which the others destroy",
  matrix  = { ranks = { 3, 4, 8 } },
  needs   = { driver = "sim", nccl = "2.27" },
  bug     = { entry = "T1", thread = "pytorch/pytorch#180611",
              nccl = "the others wait in ncclCommDestroy of the old communicator" },
  outcome = function(run)
    return { hang = { why = "destroy-missing-rank", culprit = run.nranks - 1, waiting = "all", comm = "world" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank < nranks - 1 then
  local few = world:shrink { nranks - 1 }
  few:all_reduce(x)
  stream:sync()
  world:destroy() -- the rank that was left out has a part in it, too
  if rank == 0 then store:set("done", true) end
else
  store:get("done")
end
