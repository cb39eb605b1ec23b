scenario {
  ranks   = 3,
  about   = "one rank says max where the others say sum: it completes, and the ranks disagree",
  outcome = { wrong = true, finding = "op-mismatch" },
}

local x = cuda.buffer("int32", 8):fill(rank + 1)
world:all_reduce(x, { op = rank == 0 and "max" or "sum" })
stream:sync()
expect.equal(x, 6)
