scenario {
  about   = "one rank does not destroy a communicator without calls: NCCL 2.30.7 does not wait for it, but its guide allows a wait",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", nccl = "returns as long as no rank of the host has a connection to another one" },
  outcome = function(run)
    local finding = { rule = "destroy-missing-rank", certainty = "luck" }
    if run.policy == "typical" then return { pass = true, finding = finding, findings = 0 } end
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all" }, finding = finding,
             findings = 1 }
  end,
}

if rank ~= param.culprit then
  world:destroy() -- no call was made on it
end
barrier()
