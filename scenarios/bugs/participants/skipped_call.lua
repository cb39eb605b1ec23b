scenario {
  ranks   = 4,
  about   = "rank 2 skips a call that the others make, and is done before they are",
  outcome = { hang = { culprit = 2, call = 3, waiting = { 0, 1, 3 }, why = "skipped-call" } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
world:all_reduce(x)
world:all_reduce(x)

if rank ~= 2 then
  world:all_reduce(x)
  stream:sync() -- ranks 0, 1 and 3 stay here: the operation cannot start without rank 2
end

-- Rank 2 comes here and is done. NCCL has no time-out: it would be one of the framework's.
