-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 2 }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local sum = cuda.buffer("float32", 16):fill(1)
world:all_reduce(sum)
nccl.group(function()
  if true then
    world:broadcast(sum)
  end
  world:send(x, 1 - rank)
  world:recv(y, 1 - rank)
end)
stream:sync()
