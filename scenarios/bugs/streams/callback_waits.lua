scenario {
  about   = "a callback in a stream waits for a rank that waits for the stream",
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "G4", thread = "NVIDIA/nccl#1724",
              nccl = "hangs: the all-reduce is behind the callback, the callback behind the all-reduce" },
  outcome = function(run)
    return { hang = { why = "host-wait", culprit = run.nranks == 2 and { 0, 1 } or 1, call = 1,
                      waiting = "all" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 1024):fill(rank)

-- The all-reduce of rank 1 is behind its callback, which waits for a key that rank 0 would set once
-- the all-reduce is over.
if rank == 1 then
  stream:callback(function() store:get("go on") end)
end
world:all_reduce(x)
stream:sync()
if rank == 0 then
  store:set("go on", true)
end
