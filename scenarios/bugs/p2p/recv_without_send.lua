scenario {
  about   = "a receive that nobody sends to",
  bug     = { entry = "D3", thread = "flagos-ai/FlagScale#1256",
              nccl = "the receiver waits for ever: in its host at first contact, in its stream later" },
  params  = { dst = 1, warm = 0 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, warm = { 0, 2 } },
  exclude = { { ranks = 2, dst = 3 } },
  outcome = function(run)
    return { hang = { culprit = 0, call = run.param.warm + 1, waiting = run.param.dst,
                      why = "recv-without-send" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 1024):fill(1)
for _ = 1, param.warm do
  if rank == 0 then world:send(x, param.dst) elseif rank == param.dst then world:recv(x, 0) end
end
if rank == param.dst then
  world:recv(x, 0) -- one more than rank 0 sends
end
stream:sync()
