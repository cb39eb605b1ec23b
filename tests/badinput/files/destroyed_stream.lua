scenario { ranks = 2 }
local s = cuda.stream()
s:destroy()
s:sync()
