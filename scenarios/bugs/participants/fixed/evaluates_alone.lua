scenario {
  about   = "the mended evaluates_alone: all ranks go through the model, one looks at the result",
  params  = { odd = 0, layers = 3 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 } },
}

local shard = cuda.buffer("bfloat16", 128):fill(1)
local whole = cuda.buffer("bfloat16", 128 * nranks)

world:all_gather(shard, whole)
world:reduce_scatter(whole, shard)
stream:sync()

for layer = 1, param.layers do
  world:all_gather(shard, whole, { label = "layer " .. layer })
  stream:sync()
  if rank == param.odd then
    expect.equal(whole, nranks)
  end
end
