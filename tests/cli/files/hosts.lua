scenario { ranks = 3, devices = 2, world = false }

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local e = expect.error("ncclInvalidUsage", nccl.init_rank, nranks, store:get("id"), rank)
