-- As before, with other calls after the group, and a warmed-up communicator.
scenario { ranks = 2, outcome = { hang = { culprit = 0, why = "skipped-call" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local sum = cuda.buffer("float32", 16):fill(1)
world:all_reduce(sum)
nccl.group(function()
  if rank ~= 0 then
    world:broadcast(sum)
  end
  world:send(x, 1 - rank)
  world:recv(y, 1 - rank)
end)
stream:sync()
