scenario {
  about   = "a sum does not fit its type: a narrow float becomes infinite, an integer wraps round",
  params  = { dtype = "float16" },
  matrix  = { ranks = { 2, 4 }, dtype = { "float16", "int8" } },
  bug     = { entry = "N2", thread = "NVIDIA/nccl#422", nccl = "no error" },
  outcome = { pass = true, findings = 0,
              finding = { rule = "sum-overflow", culprit = 0, call = 1, comm = "world",
                          certainty = "certain" } },
}

local large = param.dtype == "float16" and 40000 or 100
local x = cuda.buffer(param.dtype, 4):fill(rank < 2 and large or 0)
world:all_reduce(x)
stream:sync()
expect.equal(x, param.dtype == "float16" and math.huge or -56) -- 80000 and 200 are meant
