scenario { ranks = 3, about = "another operator on one rank: no value can be called the wrong one" }

local x = cuda.buffer("float32", 4):fill(rank + 1)
world:all_reduce(x, { op = rank == 2 and "max" or "sum" })
stream:sync()
