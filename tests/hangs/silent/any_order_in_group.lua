scenario { ranks = 3, about = "in a group the order of calls with different peers does not matter" }

local x, y = cuda.buffer("int32", nranks):fill(rank), cuda.buffer("int32", nranks):fill(-1)
local peers = { { 0, 1, 2 }, { 2, 0, 1 }, { 1, 2, 0 } }

nccl.group(function()
  for i, peer in ipairs(peers[rank + 1]) do
    if i % 2 == 0 then
      world:send(x:slice(peer + 1, 1), peer)
      world:recv(y:slice(peer + 1, 1), peer)
    else
      world:recv(y:slice(peer + 1, 1), peer)
      world:send(x:slice(peer + 1, 1), peer)
    end
  end
end)
stream:sync()
expect.equal(y, { 0, 1, 2 })
