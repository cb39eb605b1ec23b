scenario {
  about   = "every rank makes an id of its own instead of taking that of rank 0",
  world   = false,
  matrix  = { ranks = { 2, 4, 8 } },
  bug     = { entry = "H3", thread = "NVIDIA/nccl#206",
              nccl = "every rank waits for the others under its own id" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { hang = { why = "init-clash", culprit = all, waiting = "all" }, findings = 1 }
  end,
}

local id = nccl.unique_id() -- belongs on rank 0 alone, and from there to all others
nccl.init_rank(nranks, id, rank, { name = "team" })
