scenario { ranks = 2 }

local x = cuda.buffer("float31", 4)
