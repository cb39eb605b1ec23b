scenario { ranks = 4 }

local team = world:split { color = rank < 3 and 0 or nccl.NOCOLOR, name = "team" }
if rank == 0 then
  local id = team:unique_id()
  store:set("id", id)
  team:grow(4, { id = id })
elseif rank == 1 then
  team:grow(4)
elseif rank == 3 then
  nccl.grow(4, store:get("id"), 3)
end
