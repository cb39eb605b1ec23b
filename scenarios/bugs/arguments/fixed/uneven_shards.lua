scenario {
  about   = "the mended uneven_shards: all shards are as long as the longest, the end is padding",
  params  = { call = "all_gather", length = 1003 },
  matrix  = { ranks = { 3, 8 }, call = { "all_gather", "reduce_scatter" } },
}

local most  = (param.length + nranks - 1) // nranks
local x     = cuda.buffer("bfloat16", most * nranks):fill(1)
local y     = cuda.buffer("bfloat16", most * nranks)

world:all_reduce(x, y)
world[param.call](world, x, y, { count = most })
stream:sync()
expect.equal(y[1], param.call == "all_gather" and 1 or nranks)
