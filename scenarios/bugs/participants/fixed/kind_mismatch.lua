scenario {
  about   = "the mended kind_mismatch: all gather, one rank saves",
  params  = { odd = 0, steps = 4 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, steps = { 0, 4 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local shard = cuda.buffer("float32", 256):fill(rank)
local flag  = cuda.buffer("int32", 1):fill(1)
local whole = cuda.buffer("float32", 256 * nranks)

for _ = 1, param.steps do
  world:all_reduce(shard, { op = "avg" })
end
world:all_gather(shard, whole)
stream:sync()
if rank == param.odd then
  expect.equal(whole, function(i) return param.steps > 0 and (nranks - 1) / 2 or (i - 1) // 256 end)
end
world:all_reduce(flag)
stream:sync()
