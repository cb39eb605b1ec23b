-- All but rank 3 wait for one key, rank 3 for another one that nobody sets.
scenario { ranks = 4, outcome = { hang = { culprit = 3, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
if rank == 0 then
  store:set("go", 1)
else
  store:get(rank == 3 and "goo" or "go")
end
world:all_reduce(x)
stream:sync()
