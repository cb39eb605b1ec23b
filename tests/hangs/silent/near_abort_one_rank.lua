scenario { ranks = 3, about = "one rank aborts when the others have nothing more to do with it" }

local x = cuda.buffer("float32", 8):fill(1)
local comm = world:split { color = 0 }
comm:all_reduce(x)
stream:sync()
if rank == 1 then
  comm:abort()
else
  comm:destroy()
end
world:all_reduce(x)
stream:sync()
expect.equal(x, 9)
