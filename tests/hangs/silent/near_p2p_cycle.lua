scenario { ranks = 5, about = "a ring without groups, in which the last rank receives first" }

local x, y = cuda.buffer("int32", 8):fill(rank), cuda.buffer("int32", 8)
local to, from = (rank + 1) % nranks, (rank - 1) % nranks
for _ = 1, 2 do
  if rank == nranks - 1 then
    world:recv(y, from)
    world:send(x, to)
  else
    world:send(x, to)
    world:recv(y, from)
  end
end
stream:sync()
expect.equal(y, from)
