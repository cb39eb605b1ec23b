scenario { ranks = 2, world = { name = "row" } }
local x = cuda.buffer("float32", 4)
world:recv(x, { peer = -1 })
