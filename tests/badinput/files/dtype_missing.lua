scenario { ranks = 2 }
local x = cuda.buffer(4)
