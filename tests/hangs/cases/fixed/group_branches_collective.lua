-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 2 }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local sum = cuda.buffer("float32", 16):fill(1)
if rank == 0 then
  nccl.group(function()
    world:send(x, 1)
    world:recv(y, 1)
    world:reduce(sum)
  end)
else
  nccl.group(function()
    world:send(x, 0)
    world:recv(y, 0)
    world:reduce(sum)
  end)
end
stream:sync()
