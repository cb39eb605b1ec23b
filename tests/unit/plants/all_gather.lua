scenario { ranks = 4 }
local x, y = cuda.buffer("int64", 16), cuda.buffer("int64", 64)
x:fill(function(i) return rank * 100 + i * i end)
y:fill(0)
world:all_gather(x, y)
stream:sync()
