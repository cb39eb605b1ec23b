scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 16), rank == 2 and cuda.buffer("float32", 64):fill(0) or nil
x:fill(function(i) return rank * 100 + i * i end)
world:gather(x, y, { root = 2 })
stream:sync()
