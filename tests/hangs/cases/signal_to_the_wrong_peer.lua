-- Each rank signals the next one round the ring; rank 2 once signals the one behind it.
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "signal-missing" } } }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:signal((rank + (rank == 2 and step == 2 and 2 or 1)) % nranks)
  world:wait_signal((rank - 1) % nranks)
  world:all_reduce(x)
end
stream:sync()
