scenario {
  about   = "NCCL_ALGO is set on one rank only: ranks may choose different algorithms for the same call",
  needs   = { driver = "sim" },
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 3, 8 }, odd = { 0, 1 } },
  env     = function(param) return { [param.odd] = { NCCL_ALGO = "Ring", NCCL_SOCKET_IFNAME = "eth0" } } end,
  bug     = { entry = "P1", nccl = "waits for data that never come, or wrong results; by luck nothing" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "variable-of-one-rank", culprit = run.param.odd, comm = "world", certainty = "undefined" } }
  end,
}

local x = cuda.buffer("float32", 64):fill(rank + 1)
for step = 1, 2 do
  world:all_reduce(x)
end
stream:sync()
