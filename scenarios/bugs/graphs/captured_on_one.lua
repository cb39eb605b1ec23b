scenario {
  about   = "one rank captures its warm-up step and never launches it, all others run theirs at once",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 2 } },
  bug     = { entry = "O2", nccl = "a captured call has not run: the others wait for it" },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "others", why = "skipped-call" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
if rank == param.odd then
  cuda.graph(stream, function() world:all_reduce(x) end)
else
  world:all_reduce(x)
end
stream:sync()
