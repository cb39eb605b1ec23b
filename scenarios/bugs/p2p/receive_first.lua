scenario {
  about   = "both receive first: no buffer helps, since there is nothing that could come",
  bug     = { entry = "D1", thread = { "pytorch/pytorch#172668", "ray-project/ray#45594" },
              nccl = "hangs always, whatever the size: a receive waits for its data" },
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
  outcome = function(run)
    return { hang = { culprit = { 0, 1 }, call = run.param.warm and 3 or 1, waiting = { 0, 1 },
                      why = "p2p-cycle" }, findings = 1 }
  end,
}

if rank > 1 then return end

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 4):fill(rank), cuda.buffer("float32", 4)

if param.warm then
  nccl.group(function() world:send(mine, other) world:recv(theirs, other) end)
  stream:sync()
end
world:recv(theirs, other)
world:send(mine, other) -- cannot start: it is behind the receive, on the same stream
stream:sync()
