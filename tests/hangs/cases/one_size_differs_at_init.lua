-- One rank counts one too few; the clash is found by whoever comes next.
scenario {
  ranks   = 4,
  world   = false,
  outcome = { hang = { culprit = 2, why = "init-clash" } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
elseif rank == 2 then
  sleep(1) -- the last: who comes to a rendezvous that has broken down would get an error
end
nccl.init_rank(rank == 2 and 3 or 4, store:get("id"), rank, { name = "data" })
