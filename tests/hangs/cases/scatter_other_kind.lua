scenario { ranks = 4 }

local x, y = cuda.buffer("float32", 16), cuda.buffer("float32", 4)
world:all_reduce(y)
if rank == 3 then
  world:gather(y, x)
else
  world:scatter(x, y)
end
stream:sync()
