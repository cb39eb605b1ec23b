scenario {
  about   = "one rank has a batch less: its barrier at the end meets the others' last gradient",
  bug     = { entry = "A2", thread = { "verl-project/verl#1158", "hiyouga/LlamaFactory#8261" },
              nccl = "the sizes differ: a hang, or a gradient with a garbage tail" },
  params  = { steps = 10, odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, steps = { 1, 10 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.steps, waiting = "all",
                      why = "skipped-call" }, findings = 1 }
  end,
}

local grad = cuda.buffer("float32", 256):fill(1)
local flag = cuda.buffer("int32", 1):fill(1)
local mine = param.steps - (rank == param.odd and 1 or 0)

for _ = 1, mine do
  world:all_reduce(grad, { op = "avg" })
end
world:all_reduce(flag) -- the barrier: as good as any call, and it says nothing of being a barrier
stream:sync()
