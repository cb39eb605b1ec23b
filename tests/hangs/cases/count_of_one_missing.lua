-- The last who adds to the count sets the key for all: rank 2 does not add.
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
if rank ~= 2 then
  if store:add("count", 1) == nranks then
    store:set("all here", true)
  end
end
store:get("all here")
world:all_reduce(x)
stream:sync()
