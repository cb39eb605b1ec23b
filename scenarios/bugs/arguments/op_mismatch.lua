scenario {
  about   = "one rank reduces with another operator: it completes, and the ranks disagree",
  bug     = { entry = "C3", thread = "flagos-ai/FlagScale#1256",
              nccl = "no error: who combines which parts decides, and it may differ on every rank" },
  params  = { odd = 0, op = "max" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1 }, op = { "max", "avg" } },
  outcome = function(run)
    return { wrong = true, finding = { rule = "op-mismatch", culprit = run.param.odd, call = 1,
                                       comm = "world", certainty = "undefined" }, findings = 1 }
  end,
}

local x = cuda.buffer("int32", 8):fill(2 * (rank + 1))
world:all_reduce(x, { op = rank == param.odd and param.op or "sum" })
stream:sync()
expect.equal(x, nranks * (nranks + 1))
