scenario { ranks = 3, about = "a communicator that all destroy, some with an abort, and one that nobody does" }

local one, other = world:split { color = 0 }, world:split { color = 0 }
local x = cuda.buffer("float32", 8):fill(1)
one:all_reduce(x)
other:all_reduce(x)
stream:sync()
if rank == 2 then
  one:abort()
else
  one:destroy()
end
