scenario { ranks = 2 }
local x = cuda.buffer("float32", 8)
x:free()
x:free()
