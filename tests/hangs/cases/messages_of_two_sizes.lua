scenario { ranks = 2 }

local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 8):fill(2)
if rank == 0 then
  world:send(x, 1)
  world:send(y, 1)
else
  world:recv(y, 0)
  world:recv(x, 0)
end
stream:sync()
