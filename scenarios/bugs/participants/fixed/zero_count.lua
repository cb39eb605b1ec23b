scenario { ranks = 4, about = "the mended zero_count: zero elements on all ranks, or on none" }

local x = cuda.buffer("float32", 256):fill(rank == 2 and 0 or 1)
world:all_reduce(x)
stream:sync()
expect.equal(x, 3)

world:all_reduce(x, { count = 0 })
stream:sync()
expect.equal(x, 3)
