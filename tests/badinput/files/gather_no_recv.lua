scenario { ranks = 2 }
local x = cuda.buffer("float32", 4)
world:gather(x, nil, { root = rank })
