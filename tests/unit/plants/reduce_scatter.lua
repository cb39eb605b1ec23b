scenario { ranks = 4 }
local x, y = cuda.buffer("uint32", 64), cuda.buffer("uint32", 16)
x:fill(function(i) return rank * 1000 + i * i end)
y:fill(0)
world:reduce_scatter(x, y)
stream:sync()
