scenario {
  about   = "a rank aborts while all others are in a call with it, and goes home",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "I1", thread = "NVIDIA/nccl#992",
              nccl = "the abort ends this rank's part of the call alone; the others spin" },
  outcome = function(run)
    return { hang = { why = "abort-one-rank", culprit = run.nranks - 1, call = 2,
                      waiting = "others" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank == nranks - 1 then
  stream:delay(60)           -- a kernel that does not come back in time
  world:all_reduce(x)
  sleep(1)
  world:abort()              -- a watchdog's decision, on this rank alone
else
  world:all_reduce(x)
  stream:sync()
end
