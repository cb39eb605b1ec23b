scenario {
  ranks   = 2,
  about   = "a group waits for a message whose sender waits for what comes after the group",
  outcome = { hang = { waiting = { 0, 1 }, why = "p2p-cycle" } },
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(2)
local credit = cuda.buffer("int32", 1):fill(1)

if rank == 0 then
  world:send(x, 1)
  world:recv(credit, 1)
  world:send(y, 1)
else
  nccl.group(function()
    world:recv(x, 0)
    world:recv(y, 0) -- a group is over as a whole: also when y has come
  end)
  world:send(credit, 0)
end
stream:sync()
