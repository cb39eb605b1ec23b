scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:allreduce(x)
