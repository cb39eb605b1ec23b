scenario {
  about   = "the mended grouped_on_one_rank: every rank groups the two calls, and a call alone as it likes",
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1 } },
}

local small = cuda.buffer("float32", 16):fill(1)
local large = cuda.buffer("float32", 4096):fill(2)

nccl.group(function()
  world:all_reduce(small)
  world:all_reduce(large)
end)
if rank == param.odd then
  nccl.group(function() world:all_reduce(small) end) -- a group of one call is that call
else
  world:all_reduce(small)
end
stream:sync()
expect.equal(small, nranks ^ 2)
expect.equal(large, 2 * nranks)
