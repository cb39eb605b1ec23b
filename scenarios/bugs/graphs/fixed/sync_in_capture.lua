scenario {
  about   = "the mended sync_in_capture: the host waits behind the launch",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
step:launch(stream)
stream:sync()
expect.equal(x, nranks)
step:destroy()
