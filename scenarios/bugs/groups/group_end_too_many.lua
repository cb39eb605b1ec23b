scenario {
  about   = "one end more than starts",
  bug     = { entry = "E2", nccl = "ncclGroupEnd outside a group returns ncclInvalidUsage" },
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
  outcome = function(run)
    return { error = "ncclInvalidUsage", rank = run.param.odd, call = "ncclGroupEnd", findings = 1,
             finding = { rule = "failed-call", culprit = run.param.odd } }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)

C.check(C.ncclGroupStart())
world:all_reduce(x)
C.check(C.ncclGroupEnd())
if rank == param.odd then
  C.check(C.ncclGroupEnd()) -- of a start that is no longer there
end
stream:sync()
