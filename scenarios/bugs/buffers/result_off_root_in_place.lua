scenario {
  about   = "all ranks take the buffer of a reduce in place for the sum; only the root has it",
  bug     = { entry = "K4", nccl = "no error; the buffer of the others still has their own input" },
  matrix  = { ranks = { 2, 4 } },
  outcome = function(run)
    local others = {}
    for r = 1, run.nranks - 1 do others[r] = r end
    return {
      wrong = { rank = 1 }, findings = 1,
      finding = { rule = "result-off-root", culprit = others, call = 2, certainty = "likely" },
    }
  end,
}

local loss = cuda.buffer("float32", 8):fill(rank + 1)
world:reduce(loss, { root = nranks - 1, op = "max" })
stream:sync()
expect.equal(loss, rank == nranks - 1 and nranks or rank + 1) -- its own input, as meant
world:reduce(loss, { root = 0 })
stream:sync()
expect.equal(loss, nranks * (nranks + 1) / 2)
