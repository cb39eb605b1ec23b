scenario {
  about   = "one rank captures its step with another count than the others",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 2 } },
  bug     = { entry = "O6", nccl = "every launch waits, or leaves garbage behind the shorter count" },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "all", why = "count-mismatch" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", rank == param.odd and 12 or 16):fill(1) -- the last batch, when it was captured
local step = cuda.graph(stream, function() world:all_reduce(x) end)
step:launch(stream)
stream:sync()
