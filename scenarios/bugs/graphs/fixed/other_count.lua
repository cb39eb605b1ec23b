scenario {
  about   = "the mended other_count: all ranks capture the full count",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
step:launch(stream)
stream:sync()
expect.equal(x, nranks)
step:destroy()
