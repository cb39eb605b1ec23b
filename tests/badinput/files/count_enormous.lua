scenario { ranks = 2 }
local x = cuda.buffer("float64", math.maxinteger)
