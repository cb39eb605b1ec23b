-- Rank 1 does not come to the barrier, and waits for the others in the split that comes next.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
stream:sync()
if rank ~= 1 then
  barrier()
end
local half = world:split { color = rank % 2 }
half:all_reduce(x)
stream:sync()
