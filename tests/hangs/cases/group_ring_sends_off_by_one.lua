-- A ring shift in one group; one rank sends one too far.
scenario { ranks = 5, outcome = { hang = { culprit = 1, why = "wrong-peer" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x, (rank + (rank == 1 and 2 or 1)) % nranks)
  world:recv(y, (rank - 1) % nranks)
end)
stream:sync()
