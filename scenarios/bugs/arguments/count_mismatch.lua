scenario {
  about   = "the last batch of one rank is short, and nobody filled it up",
  bug     = { entry = "C1", thread = { "NVIDIA/nccl#1394", "NVIDIA/nccl#1417", "pytorch/pytorch#140563" },
              nccl = "may hang, may finish with a garbage tail; a network may complain on one rank" },
  params  = { odd = 3, count = 1000 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, count = { 1, 1000, 1025 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "all", why = "count-mismatch" },
             findings = 1 }
  end,
}

local count = rank == param.odd and param.count or 1024
local x = cuda.buffer("float32", count):fill(1)

world:all_reduce(x) -- accepted on every rank: NCCL checks arguments on this rank only
stream:sync()
