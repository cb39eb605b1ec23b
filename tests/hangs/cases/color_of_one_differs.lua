-- Rank 2 ought to be in the second row.
scenario { ranks = 4 }

local x   = cuda.buffer("float32", 8)
local row = world:split { color = rank == 2 and 0 or rank // 2, name = "row" }

if rank ~= 2 then
  row:all_reduce(x)
end
stream:sync()
world:all_reduce(x)
stream:sync()
