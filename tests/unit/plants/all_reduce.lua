scenario { ranks = 4, params = { dtype = "float32" } }
local x, y = cuda.buffer(param.dtype, 64), cuda.buffer(param.dtype, 64)
x:fill(function(i) return (rank + 1) * 0.3 + i * 0.07 end)
y:fill(0)
world:all_reduce(x, y)
stream:sync()
