scenario {
  about   = "the average of whole numbers is rounded towards zero",
  params  = { sign = 1 },
  matrix  = { ranks = { 2, 4 }, sign = { 1, -1 } },
  bug     = { entry = "N1", thread = "NVIDIA/nccl#1950",
              nccl = "sums in the type, then divides towards zero: 7 / 4 is 1, -7 / 4 is -1" },
  outcome = { pass = true, findings = 0,
              finding = { rule = "integer-average", culprit = 0, call = 1, comm = "world",
                          certainty = "certain" } },
}

local x = cuda.buffer("int32", 4):fill(param.sign * (rank == 0 and 1 or 2))
world:all_reduce(x, { op = "avg" })
stream:sync()
expect.equal(x, param.sign) -- of 1, 2, 2, 2 the mean is 1.75
