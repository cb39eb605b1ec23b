-- Each rank has code of its own for the group; one lacks the collective.
scenario { ranks = 2, outcome = { hang = { culprit = 1, why = "skipped-call" } } }

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
  end)
end
stream:sync()
