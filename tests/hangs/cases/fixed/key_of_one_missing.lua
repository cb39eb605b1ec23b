scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
stream:sync()
if rank > 0 then
  store:set(("rank%d-ready"):format(rank), true)
end
if rank == 0 then
  for r = 1, nranks - 1 do
    store:get(("rank%d-ready"):format(r))
  end
end
world:all_reduce(x)
stream:sync()
