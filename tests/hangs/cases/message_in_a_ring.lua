scenario {
  ranks = 4,
  about = "one message of a ring is shorter than the others",
  outcome = { hang = { culprit = 1, why = "p2p-count-mismatch" } },
}

local x, y = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)
for step = 1, 2 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks, { count = (rank == 1 and step == 2) and 32 or 64 })
    world:recv(y, (rank - 1) % nranks)
  end)
  stream:sync()
end
