-- One rank makes a call too many; another waits for it in a barrier.
scenario { ranks = 3 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("int32", 3):fill(rank)
world:all_reduce(x)
if rank == 2 then
  world:all_reduce(x)
end
stream:sync()
if rank > 0 then barrier { ranks = { 1, 2 } } end
world:all_reduce(y)
stream:sync()
