scenario {
  about   = "a communicator is destroyed while graphs still have its calls",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
  bug     = { entry = "O4", nccl = "ncclCommDestroy polls until the graphs are gone: it never returns, and the others wait for this rank in their destroy" },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, waiting = "all", why = "graph-holds-communicator" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
step:launch(stream)
stream:sync()
if rank ~= param.odd then
  step:destroy()
end
world:destroy()
if rank == param.odd then
  step:destroy()
end
