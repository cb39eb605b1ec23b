-- Like cases/overlapping_buffers.lua, but side by side, or one after the other: NCCL keeps the calls of
-- one communicator in their order, whatever their streams.
scenario { ranks = 2 }

local x, side = cuda.buffer("int32", 16):fill(rank + 1), cuda.stream()
nccl.group(function()
  world:send(x:slice(1, 8), 1 - rank)
  world:recv(x:slice(9, 8), 1 - rank)
end)
world:all_reduce(x, { stream = side })
world:all_reduce(x)
stream:sync()
expect.equal(x, 6)
nccl.group(function()
  world:send(x, 1 - rank) -- twice the same: nobody writes it
  world:send(x, 1 - rank)
  world:recv(cuda.buffer("int32", 16), 1 - rank)
  world:recv(cuda.buffer("int32", 16), 1 - rank)
end)
stream:sync()
