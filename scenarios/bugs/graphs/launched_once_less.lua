scenario {
  about   = "one rank launches its graph once less than the others",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
  bug     = { entry = "O2", nccl = "the last launch of the others waits for ever" },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 3, waiting = "others", why = "skipped-call" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
local batches = rank == param.odd and 2 or 3 -- its share of the data is smaller

for _ = 1, batches do
  step:launch(stream)
end
stream:sync()
