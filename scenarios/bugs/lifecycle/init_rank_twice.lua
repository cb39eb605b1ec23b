scenario {
  about   = "two ranks join a communicator under the same number, and one number is never taken",
  needs   = { driver = "sim" },
  world   = false,
  matrix  = { ranks = { 2, 3, 8 } },
  bug     = { entry = "H2", thread = "NVIDIA/nccl#453",
              nccl = "the rendezvous stops serving with a warning: who is in it stands for ever" },
  outcome = function(run)
    return { hang = { why = "init-clash", culprit = run.nranks - 1, waiting = "all" }, findings = 1 }
  end,
}

if rank == 0 then
  store:set("id", nccl.unique_id())
elseif rank == nranks - 1 then
  sleep(1) -- the last: whoever comes to a broken rendezvous would get an error instead
end
local me = rank == nranks - 1 and nranks - 2 or rank -- off by one on the last rank
nccl.init_rank(nranks, store:get("id"), me)
