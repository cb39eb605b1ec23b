scenario {
  about   = "a sum would fit, but a part of it on the way does not: the order of the ranks decides",
  ranks   = 4,
  params  = { sign = 1 },
  matrix  = { sign = { 1, -1 } },
  bug     = { entry = "N2", thread = "NVIDIA/nccl#1026",
              nccl = "infinite, or right, by algorithm and topology" },
  outcome = { pass = true, findings = 0,
              finding = { rule = "sum-overflow", culprit = 0, call = 1, comm = "world",
                          certainty = "certain" } },
}

-- 40000 + 40000 - 40000 - 40000: two of a kind are 80000, and float16 ends at 65504.
local x = cuda.buffer("float16", 4):fill((rank < 2 and 40000 or -40000) * param.sign)
world:all_reduce(x)
stream:sync()
expect.equal(x, param.sign * math.huge) -- 0 is meant; the simulator adds in the order of the ranks
