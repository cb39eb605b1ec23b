scenario {
  about   = "in a group two alike calls in the other order: not even sorting by size tells them apart",
  bug     = { entry = "B3", nccl = "wrong data and no word of it, as outside a group" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 } },
  outcome = function(run)
    return { wrong = true, finding = { rule = "swapped-calls", culprit = run.param.odd, call = 1 } }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
local y = cuda.buffer("float32", 16):fill(100)

nccl.group(function()
  if rank == param.odd then
    world:all_reduce(y, { label = "y" })
    world:all_reduce(x, { label = "x" })
  else
    world:all_reduce(x, { label = "x" })
    world:all_reduce(y, { label = "y" })
  end
end)
stream:sync()
expect.equal(x, nranks)
expect.equal(y, 100 * nranks)
