scenario { ranks = 2 }
local x, all = cuda.buffer("int8", 4):fill(1), cuda.buffer("int8", 7)
world:all_gather(x, all)
