scenario {
  about  = "the mended id_overwritten: a key for each pair, and a key that is used again once it has served",
  needs  = { driver = "sim" },
  world  = false,
  params = { own = false },
  matrix = { ranks = { 4, 6 }, own = { false, true } },
}

local pair, id = "id " .. rank // 2, nil
if rank % 2 == 0 then
  id = nccl.unique_id()
  store:set(pair, id)
end
sleep(0.1 * (nranks - rank))
if not (param.own and id) then
  id = store:get(pair)
end
local comm = nccl.init_rank(2, id, rank % 2)
expect.equal(comm.nranks, 2)

for maker = 0, 1 do -- one after the other, so that nobody comes with an id that is not meant
  if rank == maker then store:set("all", nccl.unique_id()) end
  barrier()
  local all = nccl.init_rank(nranks, store:get("all"), rank)
  expect.equal(all.nranks, nranks)
  barrier()
end
