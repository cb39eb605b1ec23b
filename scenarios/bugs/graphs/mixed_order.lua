scenario {
  about   = "one rank makes an eager call before it launches its graph, all others after it",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 1 } },
  bug     = { entry = "O1", nccl = "captured and eager calls are one order: a hang, or garbage" },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "all", why = "swapped-calls" }, findings = 1 }
  end,
}

local x, loss = cuda.buffer("float32", 16):fill(1), cuda.buffer("float64", 1):fill(rank)
local step = cuda.graph(stream, function() world:all_reduce(x) end)

if rank == param.odd then
  world:all_reduce(loss) -- the loss of the step before
  step:launch(stream)
else
  step:launch(stream)
  world:all_reduce(loss)
end
stream:sync()
