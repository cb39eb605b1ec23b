scenario { ranks = 3, about = "a receive that waits for a send at the end of a chain of others" }

local x = cuda.buffer("int32", 8):fill(7)
if rank == 0 then
  sleep(60)
  world:send(x, 1)
  world:recv(x, 2)
elseif rank == 1 then
  world:recv(x, 0)
  world:send(x, 2)
else
  world:recv(x, 1)
  world:send(x, 0)
end
stream:sync()
expect.equal(x, 7)
