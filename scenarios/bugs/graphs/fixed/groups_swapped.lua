scenario {
  about   = "the mended groups_swapped: every rank captures the buckets in the same order",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 2 } },
}

local a, b = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 16):fill(2)
local step = cuda.graph(stream, function()
  nccl.group(function() world:all_reduce(a) end)
  nccl.group(function() world:all_reduce(b) end)
end)
step:launch(stream)
stream:sync()
expect.equal(a, nranks)
expect.equal(b, 2 * nranks)
step:destroy()
