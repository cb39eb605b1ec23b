-- A collective and an exchange in one group; one rank leaves its receive out.
scenario { ranks = 3, outcome = { hang = { culprit = 2 } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local sum = cuda.buffer("float32", 16):fill(1)
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  if rank ~= 2 then
    world:recv(y, (rank - 1) % nranks)
  end
  world:all_reduce(sum)
end)
stream:sync()
