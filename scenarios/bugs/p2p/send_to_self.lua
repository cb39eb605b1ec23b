scenario {
  about   = "a rank sends to itself, and does not receive it in the same group",
  bug     = { entry = "D3", thread = "NVIDIA/nccl#963",
              nccl = "ncclInvalidUsage at once: a send to oneself needs its receive in the group" },
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
  outcome = function(run)
    return { error = "ncclInvalidUsage", rank = run.param.odd, findings = 1,
             finding = { rule = "failed-call", culprit = run.param.odd, call = 1 } }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)

-- A pipeline of one stage: next and previous are the stage itself.
if rank == param.odd then
  world:send(x, rank)
  world:recv(x, rank)
end
stream:sync()
