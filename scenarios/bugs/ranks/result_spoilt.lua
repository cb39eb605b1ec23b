scenario {
  about   = "a bad cable: two elements come out wrong on one rank, and no call fails",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "M1", thread = "NVIDIA/nccl#1063",
              nccl = "no error; only that rank has other values" },
  outcome = function(run)
    return { wrong = { rank = run.param.culprit, call = 2, first = 3 }, findings = 0 }
  end,
}

local x = cuda.buffer("float32", 8):fill(rank + 1)
fault.corrupt { rank = param.culprit, call = 2, first = 3, count = 2 }
for _ = 1, 3 do world:all_reduce(x) end
stream:sync()
