scenario { ranks = 4, about = "in place: where send and receive buffers must coincide" }

local n = 6

-- All-reduce, broadcast and reduce: the same buffer twice. One operand says just that.
local x = cuda.buffer("int32", n):fill(rank)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks - 1) // 2)

-- All-gather: what a rank sends lies where it will lie in the result, so at rank * count and not
-- at the start.
local all = cuda.buffer("int32", nranks * n):fill(-1)
local own = all:part(rank):fill(rank + 1)
world:all_gather(own, all)
stream:sync()
expect.equal(all, function(i) return (i - 1) // n + 1 end)

-- Reduce-scatter: the result is this rank's block of what it sent.
world:reduce_scatter(all, own)
stream:sync()
expect.equal(own, nranks * (rank + 1))
