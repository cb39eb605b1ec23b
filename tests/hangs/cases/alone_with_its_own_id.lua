-- Rank 1 does not join the first team, so rank 0 waits there with the id that it made for that team. Ranks 2 and 3 are done with
-- the other team and have its id: the ids differ because the teams do, and nobody misses rank 0.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "init-missing-rank" } } }
local teams = { { name = "front", first = 0, count = 2 }, { name = "back", first = 2, count = 2 }, { name = "all", first = 0, count = 4 } }
for _, team in ipairs(teams) do
  local me = rank - team.first
  if me >= 0 and me < team.count then
    if me == 0 then store:set("id of " .. team.name, nccl.unique_id()) end
    local id = store:get("id of " .. team.name)
    if rank ~= 1 then nccl.init_rank(team.count, id, me, { name = team.name }) end
  end
end
