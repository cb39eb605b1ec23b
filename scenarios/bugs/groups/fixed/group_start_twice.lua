scenario {
  about   = "the mended group_start_twice: as many ends as starts",
  params  = { odd = 1, steps = 3 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)

for _ = 1, param.steps do
  nccl.group(function()
    nccl.group(function() -- groups may nest
      world:all_reduce(x)
    end)
  end)
end
stream:sync()
expect.equal(x, nranks ^ param.steps)
