scenario { ranks = 4, about = "sum, and leave each rank with its own block of the result" }

local count = 8
local x     = cuda.buffer("float32", nranks * count):fill(function(i) return i * (rank + 1) end)
local block = cuda.buffer("float32", count)

-- The count of ncclReduceScatter is what one rank receives.
world:reduce_scatter(x, block)
stream:sync()

local weight = nranks * (nranks + 1) / 2
expect.equal(block, function(i) return (rank * count + i) * weight end)

-- Together with an all-gather it makes an all-reduce, which is how rings compute one.
local sum = cuda.buffer("float32", nranks * count)
world:all_gather(block, sum)
world:all_reduce(x)
stream:sync()
expect.equal(sum, x)
