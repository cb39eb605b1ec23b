-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 4 }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local to, from = (rank + 1) % nranks, (rank - 1) % nranks

nccl.group(function()
  world:send(x, to)
  world:recv(y, from)
end)
stream:sync()
