scenario {
  about  = "the mended id_not_sent: all ranks ask for the id under the name that it is given",
  world  = false,
  matrix = { ranks = { 2, 4 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local team = nccl.init_rank(nranks, store:get("id"), rank)
expect.equal(team.rank, rank)
