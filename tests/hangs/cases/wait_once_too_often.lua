-- Rank 1 waits for a signal more than its neighbour sends, in the middle of a loop.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "signal-missing" } } }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:signal((rank + 1) % nranks)
  world:wait_signal((rank - 1) % nranks)
  if rank == 1 and step == 2 then
    world:wait_signal((rank - 1) % nranks)
  end
  world:all_reduce(x)
end
stream:sync()
