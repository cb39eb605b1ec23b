scenario { ranks = 3 }

local x = cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  world:suspend()
end
world:all_reduce(x)
stream:sync()
