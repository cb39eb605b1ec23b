scenario {
  ranks   = 2,
  about   = "a thread stops for ever and its own rank waits for it, nobody else",
  outcome = { hang = { culprit = 1, waiting = 1, why = "rank-lost" } },
}

local t = spawn(function() fault.stall { rank = 1 } end)
t:join()
