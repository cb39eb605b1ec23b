scenario { ranks = 4 }
local x, y = cuda.buffer("int32", 64), cuda.buffer("int32", 64)
x:fill(function(i) return rank * 100 + i end)
y:fill(0)
world:broadcast(x, y, { root = 1 })
stream:sync()
