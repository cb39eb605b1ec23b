scenario { ranks = 4 }
local x, y = cuda.buffer("int32", 64), cuda.buffer("int32", 64)
x:fill(function(i) return rank * 1000 + i * i end)
y:fill(0)
world:all_to_all(x, y)
stream:sync()
