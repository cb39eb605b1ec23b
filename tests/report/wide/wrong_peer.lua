scenario { ranks = 1024, about = "one rank of a ring in a group receives from the wrong side" }
local x, y = cuda.buffer("float32", 8), cuda.buffer("float32", 8)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  world:recv(y, (rank == 9 and rank - 2 or rank - 1) % nranks)
end)
stream:sync()
