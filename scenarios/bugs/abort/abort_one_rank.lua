scenario {
  ranks   = 3,
  about   = "one rank aborts the communicator; the others have to, too",
  outcome = { hang = { culprit = 1, call = 2, waiting = { 0, 2 }, why = "abort-one-rank" } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

-- Abort is local. On the other ranks nothing tells of it: their next call waits for ever.
if rank == 1 then
  world:abort()
else
  world:all_reduce(x)
  stream:sync()
end
