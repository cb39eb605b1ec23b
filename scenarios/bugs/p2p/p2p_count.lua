scenario {
  about   = "the receiver counts on more than the sender has",
  bug     = { entry = "D2", thread = { "NVIDIA/nccl#1938", "pytorch/pytorch#117486", "NVIDIA/nccl#788" },
              nccl = "the receiver waits for the rest; differences of a few bytes may pass unnoticed" },
  params  = { dst = 1, sent = 1024 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, sent = { 1, 1024 } },
  exclude = { { ranks = 2, dst = 3 } },
  outcome = function(run)
    return { hang = { culprit = { 0, run.param.dst }, call = 1, waiting = run.param.dst,
                      why = "p2p-count-mismatch" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 2048):fill(1)
if rank == 0 then
  world:send(x, param.dst, { count = param.sent })
elseif rank == param.dst then
  world:recv(x, 0, { count = 2048 })
end
stream:sync()
