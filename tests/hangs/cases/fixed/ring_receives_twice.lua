scenario { ranks = 3 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8)
for hop = 1, 2 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(y, (rank - 1) % nranks)
  end)
end
stream:sync()
