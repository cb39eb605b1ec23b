scenario {
  about   = "another type of the same width: the bytes fit, so it completes, with nonsense",
  bug     = { entry = "C2", thread = "flagos-ai/FlagScale#1256",
              nccl = "no error: each rank adds the others' bits as numbers of its own type" },
  params  = { odd = 1, dtype = "int32" },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, dtype = { "int32", "uint32" } },
  outcome = function(run)
    return { wrong = true, finding = { rule = "dtype-mismatch", culprit = run.param.odd, call = 1,
                                       comm = "world", certainty = "undefined" }, findings = 1 }
  end,
}

local x = cuda.buffer(rank == param.odd and param.dtype or "float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
