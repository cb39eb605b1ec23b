scenario {
  about   = "one rank aborts the communicator; the others have to, too",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  bug     = { entry = "I1", thread = "NVIDIA/nccl#863",
              nccl = "the others stand in their next call: nothing tells them" },
  outcome = function(run)
    return { hang = { why = "abort-one-rank", culprit = run.param.culprit, call = 2,
                      waiting = "others" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

-- Abort is local. On the other ranks nothing tells of it: their next call waits for ever.
if rank == param.culprit then
  world:abort()
else
  world:all_reduce(x)
  stream:sync()
end
