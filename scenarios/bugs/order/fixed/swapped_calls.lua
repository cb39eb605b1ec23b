scenario { ranks = 3, about = "the mended swapped_calls: one order for all ranks" }

local weights = cuda.buffer("float32", 8):fill(rank)
local grad    = cuda.buffer("float32", 64):fill(rank)

world:all_reduce(grad)
world:broadcast(weights)
stream:sync()
expect.equal(grad, nranks * (nranks - 1) / 2)
expect.equal(weights, 0)
