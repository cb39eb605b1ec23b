scenario {
  about   = "a pipeline, and one of its stages listens to the wrong stage",
  bug     = { entry = "D3", thread = { "flagos-ai/FlagScale#1256", "NVIDIA/nccl#963" },
              nccl = "the stage waits for a send that nobody makes; its true source waits or slips through" },
  params  = { odd = 2, dtype = "float16" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 2, 3 }, dtype = { "float16", "int64" } },
  exclude = { { ranks = 3, odd = 3 }, { ranks = 8, dtype = "int64" } },
  outcome = function(run)
    local waiting = {} -- the true source, and all stages from the odd one on
    for r = run.param.odd - 1, run.nranks - 1 do
      waiting[#waiting + 1] = r
    end
    return { hang = { culprit = run.param.odd, call = 1, waiting = waiting, why = "wrong-peer" },
             findings = 1 }
  end,
}

local x = cuda.buffer(param.dtype, 128):fill(rank)

if rank > 0 then
  world:recv(x, rank == param.odd and rank - 2 or rank - 1) -- one off
end
if rank < nranks - 1 then
  world:send(x, rank + 1)
end
stream:sync()
