scenario { ranks = 1024, about = "pairs of ranks, all of which send before they receive" }
local x, y = cuda.buffer("float32", 8), cuda.buffer("float32", 8)
world:send(x, rank ~ 1)
world:recv(y, rank ~ 1)
stream:sync()
