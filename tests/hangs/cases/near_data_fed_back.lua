-- Rank 0 alone has something to begin with; then all have the same, whatever rank 0 left out: its last call.
scenario { ranks = 3 }
local x = cuda.buffer("int32", 4):fill(rank == 0 and 1 or 0)
for step = 1, rank == 0 and 4 or 5 do
  world:all_reduce(x, { op = "max" })
  stream:sync()
end
