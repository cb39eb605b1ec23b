scenario {
  ranks   = 3,
  world   = false,
  about   = "a communicator of three is started, and rank 2 never joins",
  outcome = { hang = { culprit = 2, waiting = { 0, 1 }, why = "init-missing-rank" } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank ~= 2 then
  nccl.init_rank(3, store:get("id"), rank) -- returns when all three have come
end
