scenario {
  about   = "a buffer goes back to its pool while an all-reduce on the stream has yet to use it",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "G3", thread = "pytorch/pytorch#188655",
              nccl = "illegal access, or the values of whoever got the memory next" },
  outcome = function(run)
    return { error = "cudaErrorIllegalAddress", rank = run.param.culprit, findings = 1,
             finding = { rule = "illegal-access", culprit = run.param.culprit, waiting = "others", call = 1 } }
  end,
}

local side = cuda.stream()
local x = cuda.buffer("float32", 1024, { stream = side }):fill(rank + 1)

stream:delay(1e-3)
world:all_reduce(x)
if rank == param.culprit then
  x:free { stream = side } -- in the order of side, which knows nothing of the all-reduce
  side:sync()
end
stream:sync()
