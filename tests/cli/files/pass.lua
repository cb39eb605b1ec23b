scenario { ranks = 4, about = "a sum over all ranks" }

local x = cuda.buffer("float32", 16):fill(rank + 1)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks + 1) / 2)
