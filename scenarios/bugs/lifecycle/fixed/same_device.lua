scenario {
  about  = "the mended same_device: every rank takes the device of its number before the init",
  world  = false,
  matrix = { ranks = { 2, 4 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
cuda.set_device(rank % cuda.device_count())
local team = nccl.init_rank(nranks, store:get("id"), rank)
expect.equal(team.device, rank % cuda.device_count())
