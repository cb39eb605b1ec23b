scenario {
  about  = "the mended id_used_twice: an id for each communicator",
  world  = false,
  matrix = { ranks = { 2, 4 } },
}

if rank == 0 then
  store:set("data", nccl.unique_id())
  store:set("model", nccl.unique_id())
end
local data = nccl.init_rank(nranks, store:get("data"), rank, { name = "data" })
local model = nccl.init_rank(nranks, store:get("model"), rank, { name = "model" })
expect.equal(model.nranks, data.nranks)
