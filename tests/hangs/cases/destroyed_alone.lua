-- Rank 3 of four has destroyed the communicator before it received; all others still use it.
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
world:broadcast(x)
stream:sync()
if rank == 3 then world:destroy() return end
if rank == 0 then
  world:send(x, 3)
  world:send(x, 1)
elseif rank == 1 then
  world:recv(y, 0)
  world:send(y, 2)
else
  world:recv(y, 1)
end
stream:sync()
