-- A ring shift in one group; one rank receives from the rank after the one before it.
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "wrong-peer" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  world:recv(y, rank == 2 and 0 or (rank - 1) % nranks)
end)
stream:sync()
