scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "p2p-count-mismatch" } } }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
for step = 1, 3 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks, { count = (rank == 1 and step > 1) and 4 or 8 })
    world:recv(y, (rank - 1) % nranks)
  end)
end
stream:sync()
