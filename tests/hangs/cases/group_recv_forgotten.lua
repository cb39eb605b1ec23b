-- One rank posts its send twice and its receive not at all.
scenario { ranks = 2, outcome = { hang = { culprit = 1 } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x, 1 - rank)
  if rank == 1 then
    world:send(y, 1 - rank)
  else
    world:recv(y, 1 - rank)
  end
end)
stream:sync()
