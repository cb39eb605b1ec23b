scenario {
  ranks   = 3,
  world   = false,
  outcome = { hang = { culprit = 2, waiting = { 0, 1, 2 }, why = "init-clash" } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
else
  sleep(1) -- who comes to a rendezvous that has broken down would get an error
end
nccl.init_rank(3, store:get("id"), rank == 2 and 1 or rank)
