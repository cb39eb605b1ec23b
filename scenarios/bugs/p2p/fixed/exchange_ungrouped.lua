scenario {
  ranks = 2,
  about = "the mended exchange_ungrouped: both calls in one group, in any order",
}

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

nccl.group(function()
  world:send(mine, other)
  world:recv(theirs, other)
end)
stream:sync()
expect.equal(theirs, other)
