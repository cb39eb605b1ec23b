-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 4 }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
for step = 1, 5 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(y, (rank - 1) % nranks)
  end)
  stream:sync()
end
