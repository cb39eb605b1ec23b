-- Rank 1 says that it is ready under a name for which nobody waits; ranks 2 and 3 say it as rank 0 expects.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
if rank > 0 then
  store:set((rank == 1 and "kk%d" or "k%d"):format(rank), true)
else
  for r = 1, nranks - 1 do
    store:get("k" .. r)
  end
end
world:all_reduce(x)
stream:sync()
