-- One rank of a ring shift has its neighbours exchanged.
scenario { ranks = 4, outcome = { hang = { culprit = 3, why = "wrong-peer" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local to, from = (rank + 1) % nranks, (rank - 1) % nranks
if rank == 3 then to, from = from, to end
nccl.group(function()
  world:send(x, to)
  world:recv(y, from)
end)
stream:sync()
