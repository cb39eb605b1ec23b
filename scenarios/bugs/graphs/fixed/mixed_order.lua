scenario {
  about   = "the mended mixed_order: every rank launches its graph first",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 1 } },
}

local x, loss = cuda.buffer("float32", 16):fill(1), cuda.buffer("float64", 1):fill(rank)
local step = cuda.graph(stream, function() world:all_reduce(x) end)

step:launch(stream)
world:all_reduce(loss)
stream:sync()
expect.equal(x, nranks)
step:destroy()
