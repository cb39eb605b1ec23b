-- Rank 0 sends to all others but one; each of them does exactly what the others do.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 4)
if rank == 0 then
  world:send(x, 1)
  world:send(x, 3)
else
  world:recv(x, 0)
end
stream:sync()
