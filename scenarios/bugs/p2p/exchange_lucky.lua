scenario {
  ranks   = 2,
  about   = "the same once the ranks have been in contact: small messages slip through, by luck",
  outcome = function(run)
    return run.policy == "typical" and "pass"
      or { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, why = "p2p-cycle" } }
  end,
}

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

nccl.group(function()
  world:send(mine, other)
  world:recv(theirs, other)
end)
stream:sync()

-- NCCL promises nothing about buffering. It often does buffer: this works until the model grows.
-- --policy strict goes by the promise, --policy typical by what is seen.
world:send(mine, other)
world:recv(theirs, other)
stream:sync()
expect.equal(theirs, other)
