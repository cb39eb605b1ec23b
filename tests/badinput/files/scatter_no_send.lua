scenario { ranks = 2 }
local x = cuda.buffer("float32", 4)
world:scatter(nil, x, { root = rank })
