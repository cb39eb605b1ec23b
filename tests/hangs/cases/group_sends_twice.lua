-- One rank sends twice where it should send and receive.
scenario { ranks = 3, outcome = { hang = { culprit = 1 } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  if rank == 1 then
    world:send(y, (rank - 1) % nranks)
  else
    world:recv(y, (rank - 1) % nranks)
  end
end)
stream:sync()
