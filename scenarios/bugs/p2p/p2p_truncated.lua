scenario {
  about   = "the receiver takes less than is sent: nobody ever takes the rest",
  bug     = { entry = "D2", thread = { "NVIDIA/nccl#1938", "NVIDIA/nccl#1937" },
              nccl = "it mostly completes with the data cut off, without an error" },
  params  = { received = 16 },
  matrix  = { ranks = { 2, 4 }, received = { 16, 63 } },
  outcome = { hang = { culprit = { 0, 1 }, call = 1, waiting = 0, why = "p2p-count-mismatch" },
              findings = 1 },
}

local x = cuda.buffer("float32", 64):fill(rank == 0 and 1 or 0)
if rank == 0 then
  world:send(x, 1)
elseif rank == 1 then
  world:recv(x, 0, { count = param.received })
end
stream:sync()
