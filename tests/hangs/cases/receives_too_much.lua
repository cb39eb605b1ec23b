scenario { ranks = 2 }

local x = cuda.buffer("float32", 64):fill(1)
if rank == 0 then
  world:send(x, 1, { count = 8 })
else
  world:recv(x, 0, { count = 64 })
end
stream:sync()
