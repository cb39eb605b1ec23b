scenario {
  about   = "the mended fork_without_join: the captured stream waits for the side stream",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local side, forked, joined = cuda.stream(), cuda.event(), cuda.event()
local step = cuda.graph(stream, function()
  forked:record(stream)
  side:wait(forked)
  world:all_reduce(x, { stream = side })
  stream:delay(1e-4)
  joined:record(side)
  stream:wait(joined)
end)
step:launch(stream)
step:launch(stream)
stream:sync()
expect.equal(x, nranks ^ 2)
step:destroy()
