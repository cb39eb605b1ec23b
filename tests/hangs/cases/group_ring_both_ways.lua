-- Everybody sends to the next and receives from the next: nobody is answered.
scenario { ranks = 4, outcome = { hang = { why = "wrong-peer" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  world:recv(y, (rank + 1) % nranks)
end)
stream:sync()
