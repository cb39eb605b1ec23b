-- On first contact a group waits for all of its peers.
scenario { ranks = 3, outcome = { hang = { culprit = { 1, 2 }, why = "p2p-cycle" } } }

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(2)
if rank == 0 then
  world:send(x, 1)
elseif rank == 1 then
  nccl.group(function()
    world:recv(x, 0)
    world:recv(y, 2)
  end)
  world:send(x, 2)
else
  world:recv(x, 1)
  world:send(y, 1)
end
stream:sync()
