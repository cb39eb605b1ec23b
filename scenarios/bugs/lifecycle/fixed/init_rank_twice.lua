scenario {
  about  = "the mended init_rank_twice: every rank joins under a number of its own",
  world  = false,
  matrix = { ranks = { 2, 3, 8 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
elseif rank == nranks - 1 then
  sleep(1)
end
local team = nccl.init_rank(nranks, store:get("id"), rank)
expect.equal(team.rank, rank)
