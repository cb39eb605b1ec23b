scenario {
  about   = "one rank raises an error of its own, and its process ends: the others wait for it",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "M1", thread = "NVIDIA/TensorRT-LLM#2560",
              nccl = "the others spin in their next call" },
  outcome = function(run)
    return { wrong = { rank = run.param.culprit },
             finding = { rule = "error-path", culprit = run.param.culprit, call = 2, waiting = "others" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
assert(rank ~= param.culprit, "loss is not a number") -- on this rank alone; nobody aborts
world:all_reduce(x)
stream:sync()
