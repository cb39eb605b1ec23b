scenario {
  about   = "a rank polls a non-blocking communicator that cannot become ready: one rank never joins",
  needs   = { driver = "sim" },
  world   = false,
  params  = { absent = 1 },
  matrix  = { ranks = { 2, 4 }, absent = { 0, 1 } },
  bug     = { entry = "J2", thread = "NVIDIA/nccl#1605",
              nccl = "in progress for ever: nothing blocks, nothing fails" },
  outcome = function(run)
    return { hang = { why = "init-missing-rank", culprit = run.param.absent, waiting = "others" },
             findings = 1 }
  end,
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank ~= param.absent then
  local team = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false, name = "team" })
  while team:async_error() == "ncclInProgress" do end -- with no limit
end
