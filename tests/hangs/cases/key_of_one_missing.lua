-- Every rank says under its own key that it is ready; rank 2 does not.
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
stream:sync()
if rank > 0 and rank ~= 2 then
  store:set(("rank%d-ready"):format(rank), true)
end
if rank == 0 then
  for r = 1, nranks - 1 do
    store:get(("rank%d-ready"):format(r))
  end
end
world:all_reduce(x)
stream:sync()
