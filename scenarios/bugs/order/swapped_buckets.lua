scenario {
  about   = "gradients are reduced in the order in which they become ready, which is another on one rank",
  bug     = { entry = "B1", thread = { "horovod/horovod#100", "Bluefog-Lib/bluefog#4" },
              nccl = "buckets of different sizes meet: a hang, or garbage where they end" },
  params  = { odd = 0, step = 1 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, step = { 1, 3 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 4 * run.param.step - 2, waiting = "all",
                      why = "swapped-calls" }, findings = 1 }
  end,
}

local buckets = { 64, 512, 128, 32 } -- elements

for step = 1, 3 do
  local ready = { 1, 2, 3, 4 }
  if rank == param.odd and step == param.step then
    ready = { 1, 4, 3, 2 } -- a layer took longer than usual
  end
  for _, i in ipairs(ready) do
    world:all_reduce(cuda.buffer("float16", buckets[i]):fill(1))
  end
end
stream:sync()
