scenario {
  ranks   = 3,
  world   = false,
  about   = "a rank dies while its communicator is being made without blocking: it is never made",
  outcome = { hang = { culprit = 1, waiting = { 0, 2 }, why = "rank-lost" } },
}

if rank == 0 then store:set("id", nccl.unique_id()) end
local comm = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false })
fault.kill { rank = 1 }
comm:wait_ready()
