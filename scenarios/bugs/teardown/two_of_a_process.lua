scenario {
  about   = "each process has two ranks, and one process destroys the communicator of only one of them",
  world   = false,
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs   = { driver = "sim", gpus = 8 },
  bug     = { entry = "T1", nccl = "the other processes wait in the ncclCommDestroy of their last rank" },
  outcome = function(run)
    local second = {} -- of each process: who waits is told as a rank of the communicator
    for p = 0, run.nranks - 1 do second[p + 1] = 2 * p + 1 end
    return { hang = { why = "destroy-missing-rank", culprit = 2 * run.param.culprit + 1, waiting = second, comm = "all" },
             findings = 1 }
  end,
}

if rank == 0 then store:set("id", nccl.unique_id()) end
local id, mine = store:get("id"), {}
nccl.group(function()
  for i = 0, 1 do
    cuda.set_device(2 * rank + i)
    mine[i] = nccl.init_rank(2 * nranks, id, 2 * rank + i, { name = "all" })
  end
end)
local x = { [0] = cuda.buffer("float32", 16, { device = 2 * rank }):fill(1),
            [1] = cuda.buffer("float32", 16, { device = 2 * rank + 1 }):fill(1) }
nccl.group(function()
  for i = 0, 1 do mine[i]:all_reduce(x[i]) end
end)
for i = 0, 1 do mine[i].stream:sync() end
mine[0]:destroy() -- does not wait: not the last one of its process
if rank ~= param.culprit then
  mine[1]:destroy()
end
barrier()
