scenario {
  about   = "a rank dies between two calls, and nobody is told",
  params  = { victim = "last", call = 5 },
  matrix  = { ranks = { 2, 4, 8 }, victim = { "first", "last" }, call = { 1, 5 } },
  bug     = { entry = "M1", thread = "pytorch/pytorch#101463",
              nccl = "the others spin in their next call; at most a neighbour over the network gets an error" },
  outcome = function(run)
    local victim = run.param.victim == "first" and 0 or run.nranks - 1
    return { hang = { why = "rank-lost", culprit = victim, waiting = "others", call = run.param.call },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 1024):fill(rank)
fault.kill { rank = param.victim == "first" and 0 or nranks - 1, call = param.call } -- out of memory, say
for _ = 1, 8 do
  world:all_reduce(x)
  stream:sync()
end
