scenario {
  about = "in groups, ranks order differently what has no order: messages of several peers, communicators they do not share",
  ranks = 4,
}

local pair = world:split { color = rank // 2, name = "pair" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)
local room = cuda.buffer("float32", 64 * nranks)

nccl.group(function()
  for i = 1, nranks - 1 do
    local peer = rank % 2 == 0 and (rank + i) % nranks or (rank - i) % nranks
    if rank % 2 == 0 then world:send(x, peer) end
    world:recv(room:slice(peer * 64 + 1, 64), peer)
    if rank % 2 == 1 then world:send(x, peer) end
  end
end)

-- pairs need not agree with each other about a communicator of their own; each pair does
nccl.group(function()
  if rank < 2 then pair:all_reduce(y) end
  world:all_reduce(x)
end)
if rank >= 2 then pair:all_reduce(y) end
stream:sync()
