-- The third of many steps of a ring goes wrong on one rank, long after the connections are made.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "wrong-peer" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
for step = 1, 5 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(y, (rank - (step == 3 and rank == 1 and 2 or 1)) % nranks)
  end)
  stream:sync()
end
