-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 3 }

local x = cuda.buffer("float32", 16):fill(rank)
if rank == 1 then
  world:send(x, 2)
elseif rank == 2 then
  world:recv(x, 1)
end
world:all_reduce(x)
stream:sync()
