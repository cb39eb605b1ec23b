scenario { ranks = 2 }
local x = cuda.buffer("float32", 7)
local y = x:part(0)
