scenario { ranks = 2, world = false }

cuda.set_device(0)
if rank == 0 then
  store:set("id", nccl.unique_id())
end
local ok, e = pcall(nccl.init_rank, nranks, store:get("id"), rank)
print(ok, not ok and e.name, not ok and e.detail)
