-- Rank 1 receives twice in one round of a ring of three; the message that is missing shows in the round behind it.
scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "recv-without-send" } } }
local x, y, z = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8), cuda.buffer("float32", 8)
for hop = 1, 2 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(y, (rank - 1) % nranks)
    if rank == 1 and hop == 1 then
      world:recv(z, (rank - 1) % nranks)
    end
  end)
end
stream:sync()
