scenario {
  about   = "the mended missing_group_end: nccl.group ends the group on every path",
  params  = { odd = 1, warm = 0 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, warm = { 0, 1 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)

local function reduce(y)
  nccl.group(function()
    world:all_reduce(y)
    if rank == param.odd then
      return
    end
  end)
end

for _ = 1, param.warm do
  world:all_reduce(x)
end
reduce(x)
stream:sync()
expect.equal(x, nranks ^ (param.warm + 1))
