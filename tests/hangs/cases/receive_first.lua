scenario {
  ranks   = 2,
  outcome = { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, why = "p2p-cycle" } },
}

local x, y = cuda.buffer("int32", 4):fill(1), cuda.buffer("int32", 4)
nccl.group(function()
  world:send(x, 1 - rank)
  world:recv(y, 1 - rank)
end)
stream:sync()

-- To receive first hangs under any policy: nothing can be buffered that was not sent.
world:recv(y, 1 - rank)
world:send(x, 1 - rank)
stream:sync()
