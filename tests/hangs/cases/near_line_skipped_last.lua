-- Ranks 0 and 1 make all calls at other lines than 2 and 3, as they may; rank 3 leaves out its last, and that
-- is all that can be said.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank < 2 then
  world:all_reduce(x)
  world:all_reduce(x)
  world:all_reduce(x)
else
  world:all_reduce(x)
  world:all_reduce(x)
  if rank ~= 3 then
    world:all_reduce(x)
  end
end
stream:sync()
