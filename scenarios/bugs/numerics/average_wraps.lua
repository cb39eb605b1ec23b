scenario {
  about   = "the sum within an average of small integers wraps round before it is divided",
  params  = { dtype = "int8" },
  matrix  = { dtype = { "int8", "uint8" } },
  bug     = { entry = "N1", thread = "meta-pytorch/torchcomms#287",
              nccl = "100 and 100 as int8: the sum is -56, the average -28" },
  outcome = { pass = true, findings = 0,
              finding = { rule = "integer-average", culprit = 0, call = 1, comm = "world",
                          certainty = "certain" } },
}

local value = param.dtype == "int8" and 100 or 200
local x = cuda.buffer(param.dtype, 4):fill(value)
world:all_reduce(x, { op = "avg" })
stream:sync()
expect.equal(x, param.dtype == "int8" and -28 or 72) -- not the value that all have
