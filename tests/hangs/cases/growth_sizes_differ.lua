scenario { ranks = 4 }

local team = world:split { color = rank < 3 and 0 or nccl.NOCOLOR, name = "team" }
if team then
  local id = rank == 0 and team:unique_id() or nil
  if id then
    store:set("id", id)
  end
  sleep((rank + 1) / 10) -- the new rank is there first
  team:grow(rank == 1 and 5 or 4, { id = id })
else
  nccl.grow(4, store:get("id"), 3)
end
