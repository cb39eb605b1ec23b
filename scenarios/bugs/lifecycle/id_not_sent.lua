scenario {
  about   = "the id never gets to one rank, which waits for it while the others stand in the init",
  world   = false,
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "H1", thread = "NVIDIA/cuDecomp#24",
              nccl = "all but one stand in the init, for ever; that one waits outside of NCCL" },
  outcome = function(run)
    return { hang = { why = "init-missing-rank", culprit = run.nranks - 1, waiting = "all" }, findings = 1 }
  end,
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
-- The last rank asks for the id under a name that nobody gives one to.
local id = store:get(rank == nranks - 1 and "unique id" or "id")
nccl.init_rank(nranks, id, rank)
