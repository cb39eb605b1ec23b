scenario {
  about   = "a communicator is started, and one rank never joins",
  world   = false,
  params  = { absent = "last" },
  matrix  = { ranks = { 2, 4, 8 }, absent = { "first", "last" } },
  bug     = { entry = "H1", thread = "NVIDIA/nccl#394",
              nccl = "all who joined stand in the init for ever; no message names who is missing" },
  outcome = function(run)
    local absent = run.param.absent == "first" and 0 or run.nranks - 1
    return { hang = { why = "init-missing-rank", culprit = absent, waiting = "others" }, findings = 1 }
  end,
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local absent = param.absent == "first" and 0 or nranks - 1
if rank ~= absent then -- say, because its part of the data is empty: init needs it all the same
  nccl.init_rank(nranks, store:get("id"), rank)
end
