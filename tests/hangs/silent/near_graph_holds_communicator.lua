scenario {
  ranks = 2, needs = { driver = "sim" },
  about = "graphs that are destroyed while they run, and then their communicator",
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
step:launch(stream)
step:launch(stream)
step:destroy()
world:destroy()
stream:sync()
expect.equal(x, 4)
