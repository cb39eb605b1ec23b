scenario {
  about   = "the mended exchange_ungrouped: both calls in one group, in any order",
  params  = { a = 0, count = 64 },
  matrix  = { ranks = { 2, 4 }, a = { 0, 2 }, count = { 64, 4194304 } },
  exclude = { { ranks = 2, a = 2 } },
}

if rank // 2 * 2 ~= param.a then return end

local other = rank % 2 == 0 and rank + 1 or rank - 1
local mine, theirs = cuda.buffer("int8", param.count):fill(rank), cuda.buffer("int8", param.count)

nccl.group(function()
  world:send(mine, other)
  world:recv(theirs, other)
end)
stream:sync()
expect.equal(theirs[param.count], other)
