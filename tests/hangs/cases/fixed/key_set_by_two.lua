scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank > 0 then
  store:set("k" .. rank, true)
else
  for r = 1, nranks - 1 do store:get("k" .. r) end
end
world:all_reduce(x)
stream:sync()
