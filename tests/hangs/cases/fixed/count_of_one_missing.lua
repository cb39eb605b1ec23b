scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank >= 0 then
  if store:add("count", 1) == nranks then
    store:set("all here", true)
  end
end
store:get("all here")
world:all_reduce(x)
stream:sync()
