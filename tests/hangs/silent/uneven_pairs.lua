scenario { ranks = 3, about = "counts that differ from pair to pair, and agree within each" }

local x, y = cuda.buffer("float16", 64):fill(rank), cuda.buffer("float16", 64):fill(-1)
nccl.group(function()
  for peer = 0, nranks - 1 do
    if peer ~= rank then
      world:send(x, peer, { count = 1 + rank + 2 * peer })
      world:recv(y:slice(1 + 20 * peer), peer, { count = 1 + peer + 2 * rank })
    end
  end
end)
stream:sync()
for peer = 0, nranks - 1 do
  if peer ~= rank then
    local count = 1 + peer + 2 * rank
    expect.equal(y:slice(1 + 20 * peer, count), peer)
    expect.equal(y[1 + 20 * peer + count], -1)
  end
end
