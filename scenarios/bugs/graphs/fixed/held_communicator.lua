scenario {
  about   = "the mended held_communicator: graphs go first, then their communicator",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)
step:launch(stream)
step:destroy() -- the launch ends all the same
world:destroy()
stream:sync()
expect.equal(x, nranks)
