scenario {
  about   = "one rank reduces the metrics before the gradients, all others after them",
  bug     = { entry = "B1", thread = { "horovod/horovod#2564", "NVIDIA/nccl#147" },
              nccl = "every call in between meets another one: a hang, or garbage" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "all", why = "swapped-calls" },
             findings = 1 }
  end,
}

local metrics = cuda.buffer("float64", 4):fill(rank)

local function reduce_metrics()
  world:all_reduce(metrics)
end

if rank == param.odd then
  reduce_metrics() -- a hook that runs at another time there
end
for _, count in ipairs { 256, 64, 16 } do
  world:all_reduce(cuda.buffer("float32", count):fill(1))
end
if rank ~= param.odd then
  reduce_metrics()
end
stream:sync()
