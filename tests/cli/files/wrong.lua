scenario { ranks = 2, about = "an expectation that does not hold" }

local x = cuda.buffer("int32", 4):fill(rank + 1)
world:all_reduce(x)
stream:sync()
expect.equal(x, 4, { label = "sum" })
