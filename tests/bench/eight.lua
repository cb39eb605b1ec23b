scenario { ranks = 8, about = "one verified all-reduce" }
local x = cuda.buffer("float32", 1024):fill(rank + 1)
world:all_reduce(x)
stream:sync()
