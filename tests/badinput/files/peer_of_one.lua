scenario { ranks = 1 }
local x = cuda.buffer("float32", 4):fill(1)
world:send(x, 1)
