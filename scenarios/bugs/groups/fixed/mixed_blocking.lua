scenario {
  about   = "the mended mixed_blocking: a group for each kind, or none",
  matrix  = { ranks = { 2, 4 } },
}

local side = world:split { color = 0, blocking = false }
side:wait_ready()

local a = world:split { color = rank % 2 }
local b = side:split { color = rank % 2 }
side:wait_ready() -- until then b is not there
b:wait_ready()
expect.equal(a.nranks, b.nranks)
