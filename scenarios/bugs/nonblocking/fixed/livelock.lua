scenario {
  about  = "the mended livelock: polling has an end, and then the communicator is aborted",
  needs  = { driver = "sim" },
  world  = false,
  params = { absent = 1 },
  matrix = { ranks = { 2, 4 }, absent = { 0, 1 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank ~= param.absent then
  local team = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false, name = "team" })
  if not team:wait_ready(60) then
    team:abort()
  end
  expect.equal(team.state, "aborted")
end
