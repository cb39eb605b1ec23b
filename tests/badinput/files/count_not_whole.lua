scenario { ranks = 2 }
local x = cuda.buffer("float32", 2.5)
