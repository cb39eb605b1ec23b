scenario {
  about   = "the mended variable_of_one_rank: NCCL_ALGO is the same on all ranks; the network interface may differ",
  needs   = { driver = "sim" },
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 3, 8 }, odd = { 0, 1 } },
  env     = function(param) return { NCCL_ALGO = "Ring", [param.odd] = { NCCL_ALGO = "Ring", NCCL_SOCKET_IFNAME = "eth0" } } end,
  outcome = { pass = true, findings = 0 },
}

local x = cuda.buffer("float32", 64):fill(rank + 1)
for step = 1, 2 do
  world:all_reduce(x)
end
stream:sync()
