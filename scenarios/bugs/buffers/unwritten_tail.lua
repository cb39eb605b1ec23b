scenario {
  about   = "one rank's batch is shorter than the buffer that all reduce: nothing has written its tail",
  needs   = { driver = "sim" },
  params  = { culprit = 0, call = "all_reduce" },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 }, call = { "all_reduce", "reduce", "reduce_scatter" } },
  bug     = { entry = "K3", nccl = "no error; adds whatever the memory contains" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "never-written", culprit = run.param.culprit, call = 1, comm = "world",
                         certainty = "undefined" } }
  end,
}

local n    = 16 * nranks
local used = rank == param.culprit and n - 10 or n
local x    = cuda.buffer("float32", n)
x:slice(1, used):fill(rank + 1)
world[param.call](world, x)
stream:sync()
