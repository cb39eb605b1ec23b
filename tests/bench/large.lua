scenario { ranks = 8, about = "one all-reduce of 64 MiB" }
local x = cuda.buffer("float32", 16 * 1024 * 1024):fill(rank + 1)
world:all_reduce(x)
stream:sync()
