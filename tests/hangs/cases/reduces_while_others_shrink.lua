-- Rank 3 is out of it: that it has ended is no matter.
scenario { ranks = 4 }

local x = cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  world:all_reduce(x)
elseif rank ~= 3 then
  world:shrink { 3 }
end
stream:sync()
