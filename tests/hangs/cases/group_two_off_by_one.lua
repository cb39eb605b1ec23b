-- Two ranks far from each other name the wrong peer.
scenario { ranks = 6, outcome = { hang = { culprit = { 1, 4 }, why = "wrong-peer" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  world:recv(y, (rank - (rank % 3 == 1 and 2 or 1)) % nranks)
end)
stream:sync()
