scenario { ranks = 4, about = "peers by the numbers of a smaller communicator, turned around" }

local part = world:split { color = rank % 2, key = -rank }
local x, y = cuda.buffer("int32", 4):fill(rank), cuda.buffer("int32", 4)
nccl.group(function()
  part:send(x, 1 - part.rank)
  part:recv(y, 1 - part.rank)
end)
stream:sync()
expect.equal(y, (rank + 2) % 4)
