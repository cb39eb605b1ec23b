scenario { ranks = 4, about = "three ranks become four" }
local team = world:split { color = rank < 3 and 0 or -1 }
local x = cuda.buffer("float64", 16):fill(rank + 1)
local more
if team then
  local id
  if team.rank == 1 then
    id = team:unique_id()
    store:set("more", id)
  end
  more = team:grow(4, { id = id })
else
  more = nccl.grow(4, store:get("more"), 3)
end
if rank < 3 then team:destroy() end
expect.that(more.rank == rank and more.nranks == 4)
more:all_reduce(x)
stream:sync()
expect.equal(x, 10)
