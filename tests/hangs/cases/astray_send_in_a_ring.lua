-- One rank leaves out its send in a ring of groups and goes on to a collective.
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
nccl.group(function()
  if rank ~= 2 then world:send(x, (rank + 1) % nranks) end
  world:recv(y, (rank - 1) % nranks)
end)
world:all_reduce(y)
stream:sync()
