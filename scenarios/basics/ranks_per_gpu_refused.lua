scenario {
  ranks = 2,
  world = false,
  sim = { nccl = "2.28.9" }, needs = { driver = "sim" },
  about = "two ranks on one GPU: NCCL 2.28.9 refuses, whatever the environment says",
  env = { NCCL_MULTI_RANK_GPU_ENABLE = "1" },
}

-- Both start on a device of their own: put them on the same one.
cuda.set_device(0)
if rank == 0 then
  store:set("id", nccl.unique_id())
end
local e = expect.error("ncclInvalidUsage", nccl.init_rank, nranks, store:get("id"), rank)
expect.equal(e.detail, ("Duplicate GPU detected : rank %d and rank %d both on CUDA device 10000")
  :format(rank, 1 - rank))
