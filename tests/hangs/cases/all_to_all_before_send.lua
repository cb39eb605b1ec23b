scenario { ranks = 2 }

local x, y, z = cuda.buffer("float32", 12), cuda.buffer("float32", 12), cuda.buffer("float32", 12)
if rank == 0 then
  world:all_to_all(x, y)
  world:send(x, 1)
else
  world:recv(z, 0)
  world:all_to_all(x, y)
end
stream:sync()
