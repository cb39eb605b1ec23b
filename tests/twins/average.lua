scenario { ranks = 4, about = "average gradients with a pre-mul-sum op" }

local x   = cuda.buffer("float32", 1024):fill(rank + 1)
local avg = world:premulsum("float32", 1 / nranks)

world:all_reduce(x, { op = avg })
stream:sync()
expect.equal(x, (nranks + 1) / 2)
