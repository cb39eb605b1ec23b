-- Rank 3 reads the id of its team and never joins. No call shows that: only the store knows who has the id.
scenario { ranks = 6, world = false }

local teams = { { name = "front", first = 0, count = 2 }, { name = "back", first = 2, count = 4 } }
for _, team in ipairs(teams) do
  local me = rank - team.first
  if me >= 0 and me < team.count then
    if me == 0 then
      store:set("id of " .. team.name, nccl.unique_id())
    end
    local id = store:get("id of " .. team.name)
    if rank ~= 3 then
      nccl.init_rank(team.count, id, me, { name = team.name })
    end
  end
end
barrier()
