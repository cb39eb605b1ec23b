scenario { ranks = 2 }
local x = cuda.buffer("int8", 3):fill(128)
