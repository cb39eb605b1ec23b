scenario {
  about   = "a group waits for a message whose sender waits for what comes after the group",
  bug     = { entry = "D5", thread = { "pytorch/PiPPy#969", "pytorch/PiPPy#1000" },
              nccl = "a group is over as a whole: it hangs, however much is buffered" },
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
  outcome = function(run)
    return { hang = { culprit = { 0, 1 }, call = run.param.warm and 4 or 2, waiting = { 0, 1 },
                      why = "p2p-cycle" }, findings = 1 }
  end,
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(2)
local credit = cuda.buffer("int32", 1):fill(1)

if param.warm and rank < 2 then
  nccl.group(function() world:send(x, 1 - rank) world:recv(y, 1 - rank) end)
end
if rank == 0 then
  world:send(x, 1)
  world:recv(credit, 1)
  world:send(y, 1)
elseif rank == 1 then
  nccl.group(function()
    world:recv(x, 0)
    world:recv(y, 0) -- a group is over as a whole: also when y has come
  end)
  world:send(credit, 0)
end
stream:sync()
