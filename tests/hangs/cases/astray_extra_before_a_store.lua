-- One rank makes a call too many before it sets the key that another one waits for.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  world:all_reduce(x)
  stream:sync()
end
store:set("k" .. rank, rank)
store:get("k" .. (rank + 1) % nranks)
world:all_reduce(x)
stream:sync()
