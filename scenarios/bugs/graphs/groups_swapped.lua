scenario {
  about   = "one rank captures two groups in the other order",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 2 } },
  bug     = { entry = "O1", nccl = "every launch of the graphs pairs other calls: a hang, or garbage" },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "all", why = "swapped-calls" }, findings = 1 }
  end,
}

local a, b = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 16):fill(2)
local first, second = a, b
if rank == param.odd then
  first, second = b, a -- buckets in the order in which they became ready there
end
local step = cuda.graph(stream, function()
  nccl.group(function() world:all_reduce(first) end)
  nccl.group(function() world:all_reduce(second) end)
end)
step:launch(stream)
stream:sync()
