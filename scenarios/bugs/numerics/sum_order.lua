scenario {
  about   = "a float sum depends on the order in which it is made; all ranks of a call get the same",
  matrix  = { ranks = { 4, 8 } },
  bug     = { entry = "N3", thread = "NVIDIA/nccl#2360",
              nccl = "ring, tree and switch give different last bits, so runs on other topologies do" },
  outcome = { pass = true, findings = 0 },
}

local values = { [0] = 1e8, 1, -1e8, 1 } -- exactly 2; each order of adding rounds elsewhere
local x = cuda.buffer("float32", 4):fill(values[rank] or 0)
world:all_reduce(x)
stream:sync()
store:set("sum" .. rank, x[1])
expect.that(store:get("sum0") == x[1], "the ranks of one call agree")
expect.that(math.abs(x[1] - 2) <= 16, "within the rounding of 1e8")
