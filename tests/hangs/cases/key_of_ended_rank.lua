-- Rank 3 ends before it sets its key. Rank 2 waits for the key, and the others wait in the destroy for rank 2: that it has not
-- destroyed the communicator is no mistake of its own.
scenario { ranks = 4 }
local pair = world:split { color = 0, name = "pair" }
pair:all_reduce(cuda.buffer("float32", 4):fill(1))
stream:sync()
if rank == 3 then return end
store:set("key" .. rank, rank)
store:get("key" .. (rank + 1) % nranks)
pair:destroy()
