-- All sends in one group, all receives in the next.
scenario { ranks = 2, outcome = { hang = { culprit = { 0, 1 }, why = "p2p-cycle" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  world:send(x:slice(1, 8), 1 - rank)
  world:send(x:slice(9, 8), 1 - rank)
end)
nccl.group(function()
  world:recv(y:slice(1, 8), 1 - rank)
  world:recv(y:slice(9, 8), 1 - rank)
end)
stream:sync()
