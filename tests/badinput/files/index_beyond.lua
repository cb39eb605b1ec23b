scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(0)
x[9] = 1
