scenario { ranks = 2 }
local x = cuda.buffer("float32", 3):fill { 1, 2 }
