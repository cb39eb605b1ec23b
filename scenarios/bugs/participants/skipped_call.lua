scenario {
  about   = "one rank leaves out the last call, and is done before the others are",
  bug     = { entry = "A1", thread = { "NVIDIA-NeMo/Automodel#2468", "pytorch/pytorch#100773" },
              nccl = "the others wait in the last call for ever: NCCL has no time-out" },
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 3, waiting = "others", why = "skipped-call" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 1024):fill(rank)
world:all_reduce(x)
world:all_reduce(x)

if rank ~= param.odd then -- "this rank has no valid sample": a decision of one rank alone
  world:all_reduce(x)
  stream:sync()           -- all others stay here: the operation cannot start without that rank
end

-- The odd rank comes here and is done.
