-- Two hosts wait for each other's keys, all others in the call that follows.
scenario { ranks = 4, outcome = { hang = {} } }
local x = cuda.buffer("float32", 4):fill(1)
if rank == 0 then
  store:get("a")
  store:set("b", 1)
elseif rank == 1 then
  store:get("b")
  store:set("a", 1)
end
world:all_reduce(x)
stream:sync()
