-- Rank 2 was to put the id of its team into the store. Several wait for it, others for these: nothing shows who forgot it.
scenario { ranks = 4, world = false }

local teams = { { name = "back", first = 2, count = 2 }, { name = "all", first = 0, count = 4 } }
for _, team in ipairs(teams) do
  local me = rank - team.first
  if me >= 0 then
    if me == 0 and team.name ~= "back" then
      store:set("id of " .. team.name, nccl.unique_id())
    end
    nccl.init_rank(team.count, store:get("id of " .. team.name), me, { name = team.name })
  end
end
