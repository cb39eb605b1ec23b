scenario { ranks = 2 }
local x = cuda.buffer("float32", 8)
local y = x:slice(0)
