scenario {
  about  = "the mended init_size_differs: the number of ranks comes with the id, from one place",
  world  = false,
  params = { scalable = false },
  matrix = { ranks = { 3, 4, 8 }, scalable = { false, true } },
}

if rank == 0 then
  store:set("team", { id = nccl.unique_id(), size = nranks })
elseif rank == 1 then
  sleep(1)
end
local team = store:get("team")
local id = param.scalable and { team.id } or team.id
expect.equal(nccl.init_rank(team.size, id, rank).nranks, nranks)
