scenario {
  about  = "the mended id_of_its_own: rank 0 makes the id and hands it out",
  world  = false,
  matrix = { ranks = { 2, 4, 8 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local team = nccl.init_rank(nranks, store:get("id"), rank, { name = "team" })
expect.equal(team.nranks, nranks)
