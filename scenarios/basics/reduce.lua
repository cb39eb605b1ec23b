scenario { ranks = 4, about = "the sum arrives at the root, and nowhere else" }

local root   = nranks - 1
local x      = cuda.buffer("int64", 64):fill(rank + 1)
local result = cuda.buffer("int64", 64):fill(-1)

world:reduce(x, result, { root = root })
stream:sync()

-- Off the root the receive buffer is neither read nor written.
expect.equal(result, rank == root and nranks * (nranks + 1) // 2 or -1)

-- So there need not be one.
world:reduce(x, rank == root and result or nil, { op = "max", root = root })
stream:sync()
expect.equal(result, rank == root and nranks or -1)
