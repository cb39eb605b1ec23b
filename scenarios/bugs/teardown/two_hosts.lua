scenario {
  about   = "one rank of the second host does not destroy: only the other rank of its host waits in its destroy",
  devices = 2,
  ranks   = 4,
  needs   = { driver = "sim" },
  bug     = { entry = "T1", nccl = "the rank on its host waits in ncclCommDestroy; the first host comes to the barrier" },
  outcome = function()
    return { hang = { why = "destroy-missing-rank", culprit = 2, waiting = "all", comm = "world" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank ~= 2 then
  world:destroy()
end
barrier()
