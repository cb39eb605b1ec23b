scenario {
  about  = "the mended init_missing_rank: who has no part in it says so, and the others count themselves",
  world  = false,
  params = { absent = "last" },
  matrix = { ranks = { 2, 4, 8 }, absent = { "first", "last" } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local absent = param.absent == "first" and 0 or nranks - 1
if rank ~= absent then
  local members = nranks - 1
  local team = nccl.init_rank(members, store:get("id"), rank > absent and rank - 1 or rank)
  expect.equal(team.nranks, members)
end
