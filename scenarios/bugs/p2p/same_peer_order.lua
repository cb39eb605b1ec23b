scenario {
  ranks   = 2,
  about   = "two messages to one peer, received in the other order: there are no tags",
  outcome = { wrong = { rank = 1 } },
}

local activation = cuda.buffer("float32", 8):fill(rank == 0 and 1 or 0)
local gradient   = cuda.buffer("float32", 8):fill(rank == 0 and 2 or 0)

nccl.group(function()
  if rank == 0 then
    world:send(activation, 1, { label = "activation" })
    world:send(gradient, 1, { label = "gradient" })
  else
    world:recv(gradient, 0, { label = "gradient" })
    world:recv(activation, 0, { label = "activation" })
  end
end)
stream:sync()
expect.equal(activation, 1)
expect.equal(gradient, 2)
