scenario { ranks = 4, about = "three ranks grow to four; the fourth leaves it" }

local team = world:split { color = rank < 3 and 0 or nccl.NOCOLOR, name = "team" }
if team then
  team:grow(4, { id = rank == 0 and team:unique_id() or nil })
end
