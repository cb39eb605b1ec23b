scenario {
  about   = "the mended swap_inside_group_alike: one order in the group, too",
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local y = cuda.buffer("float32", 16):fill(100)

nccl.group(function()
  world:all_reduce(x, { label = "x" })
  world:all_reduce(y, { label = "y" })
end)
stream:sync()
expect.equal(x, nranks)
expect.equal(y, 100 * nranks)
