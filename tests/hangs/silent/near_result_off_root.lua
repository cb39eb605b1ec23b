scenario { ranks = 3, about = "ranks that are not the root read what they may: their own input, what was written since, what they expect" }

local x, y = cuda.buffer("float32", 8):fill(rank + 1), cuda.buffer("float32", 8):fill(-1)
local sum = nranks * (nranks + 1) / 2

-- untouched, and meant to be
world:reduce(x, y, { root = 0 })
stream:sync()
expect.equal(y, rank == 0 and sum or -1)

-- in place
world:reduce(x, x, { root = 1 })
stream:sync()
expect.equal(x, rank == 1 and sum or rank + 1)
local host = x:get(1)

-- each rank is the root once, and reads its result when all have had their turn
local own, scratch = cuda.buffer("float32", 8), cuda.buffer("float32", 8)
for root = 0, nranks - 1 do
  world:reduce(y, own, { root = root })
end
stream:sync()
host = own:get(1)

-- its own block of a gather, and the result that the root passes on
local all = cuda.buffer("float32", 8 * nranks)
local block = all:slice(8 * rank + 1, 8)
block:fill(rank)
world:gather(block, all, { root = 0 })
stream:sync()
host = block:get(1)
world:broadcast(all, { root = 0 })
stream:sync()
host = all:get(1)

-- written since, by a copy
world:reduce(y, scratch, { root = 0 })
scratch:copy_from(y, { stream = stream })
stream:sync()
host = scratch:get(1)
