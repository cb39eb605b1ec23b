scenario {
  about   = "one rank has loaded another version of NCCL: the init fails on all ranks",
  needs   = { driver = "sim" },
  world   = false,
  params  = { odd = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 } },
  sim     = function(param) return { nccl = { others = "2.30.7", [param.odd] = "2.28.9" } } end,
  bug     = { entry = "P2", nccl = "ncclInvalidUsage (mismatched version) on all ranks" },
  outcome = function(run)
    return { error = "ncclInvalidUsage", call = "ncclCommInitRank", rank = 0, findings = 1,
             finding = { rule = "mismatched-version", culprit = run.param.odd, certainty = "certain" } }
  end,
}

if rank == 0 then store:set("id", nccl.unique_id()) end
nccl.init_rank(nranks, store:get("id"), rank)
