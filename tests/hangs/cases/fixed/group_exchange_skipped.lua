-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 3 }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local sum = cuda.buffer("float32", 16):fill(1)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  if true then
    world:recv(y, (rank - 1) % nranks)
  end
  world:all_reduce(sum)
end)
stream:sync()
