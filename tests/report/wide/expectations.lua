scenario { ranks = 1024, about = "every rank expects another value" }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, rank)
