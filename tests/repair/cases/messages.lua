-- Two messages are received in the other order: labels alone show it.
scenario { ranks = 2, outcome = { wrong = true } }

local a, b = cuda.buffer("int32", 4):fill(rank == 0 and 1 or 0), cuda.buffer("int32", 4):fill(rank == 0 and 2 or 0)
nccl.group(function()
  if rank == 0 then
    world:send(a, 1, { label = "a" })
    world:send(b, 1, { label = "b" })
  else
    world:recv(b, 0, { label = "b" })
    world:recv(a, 0, { label = "a" })
  end
end)
stream:sync()
expect.equal(a, 1)
expect.equal(b, 2)
