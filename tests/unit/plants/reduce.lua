scenario { ranks = 4 }
local x, y = cuda.buffer("float64", 64), cuda.buffer("float64", 64)
x:fill(function(i) return (rank + 1) ^ 2 + i * i end)
y:fill(0)
world:reduce(x, y, { root = 2 })
stream:sync()
