scenario { ranks = 2, outcome = { hang = { culprit = 1, waiting = 0, why = "send-without-recv" } } }

local x, y = cuda.buffer("int32", 1 << 21):fill(1), cuda.buffer("int32", 1 << 21) -- not buffered
nccl.group(function()
  world:send(x, 1 - rank)
  world:recv(y, 1 - rank)
end)
stream:sync()
if rank == 0 then
  world:send(x, 1)
  stream:sync()
end
