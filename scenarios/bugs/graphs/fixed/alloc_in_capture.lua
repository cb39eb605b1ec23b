scenario {
  about   = "the mended alloc_in_capture: the temporary is there before the capture",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16)
local step = cuda.graph(stream, function() world:all_reduce(x, y) end)
step:launch(stream)
stream:sync()
expect.equal(y, nranks)
step:destroy()
