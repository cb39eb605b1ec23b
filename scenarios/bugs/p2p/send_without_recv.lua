scenario {
  about   = "a send that nobody receives",
  bug     = { entry = "D3", thread = "flagos-ai/FlagScale#1256",
              nccl = "waits on first contact; later it is done as soon as it fits into the buffers" },
  params  = { dst = 1, warm = 0 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, warm = { 0, 2 } },
  exclude = { { ranks = 2, dst = 3 } },
  outcome = function(run)
    local call = run.param.warm + 1
    if run.param.warm > 0 and run.policy == "typical" then
      return { pass = true, finding = { rule = "send-without-recv", culprit = run.param.dst, call = call } }
    end
    return { hang = { culprit = run.param.dst, call = call, waiting = 0, why = "send-without-recv" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 1024):fill(1)
for _ = 1, param.warm do
  if rank == 0 then world:send(x, param.dst) elseif rank == param.dst then world:recv(x, 0) end
end
if rank == 0 then
  world:send(x, param.dst) -- one more than its peer receives
end
stream:sync()
