scenario {
  about  = "the mended exchange_half_grouped: both group; a root that sends to many groups alone",
  params = { recv_first = false },
  matrix = { ranks = { 2, 4 }, recv_first = { false, true } },
}

local peer = rank ~ 1
local x, y = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

nccl.group(function()
  if param.recv_first then world:recv(y, peer) end
  world:send(x, peer)
  if not param.recv_first then world:recv(y, peer) end
end)
stream:sync()
expect.equal(y, peer)

-- Messages of one direction do not wait for each other: grouping is up to each side.
if rank == 0 then
  nccl.group(function()
    for r = 1, nranks - 1 do
      world:send(x, r)
      world:send(x, r)
    end
  end)
else
  world:recv(y, 0)
  world:recv(y, 0)
end
stream:sync()
expect.equal(y, rank == 0 and peer or 0)
