scenario { ranks = 2 }
local x = cuda.buffer("float32", 8)
local y = x:slice(2, 3)
x:free()
y:fill(1)
