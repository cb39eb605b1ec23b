scenario {
  about   = "the mended outside_event: the stream waits for the event before each launch",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
}

local x = cuda.buffer("float32", 16)
local side, filled = cuda.stream(), cuda.event()
x:fill(1, { stream = side })
filled:record(side)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
stream:wait(filled)
step:launch(stream)
stream:sync()
expect.equal(x, nranks)
step:destroy()
