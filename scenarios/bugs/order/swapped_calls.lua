scenario {
  about   = "one rank makes the same two calls in the other order",
  bug     = { entry = "B1", thread = { "NVIDIA/nccl#296", "tensorflow/tensorflow#42111" },
              nccl = "the calls are not compared: a hang, garbage, or one network complains of a size" },
  params  = { odd = 1, before = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, before = { 0, 3 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.before + 1, waiting = "all",
                      why = "swapped-calls" }, findings = 1 }
  end,
}

local weights = cuda.buffer("float32", 8):fill(rank)
local grad    = cuda.buffer("float32", 64):fill(rank)

for _ = 1, param.before do
  world:all_reduce(grad)
end

-- The k-th call of one rank meets the k-th call of the others, whatever they are.
if rank == param.odd then
  world:broadcast(weights)
  world:all_reduce(grad)
else
  world:all_reduce(grad)
  world:broadcast(weights)
end
stream:sync()
