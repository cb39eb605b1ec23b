scenario { ranks = 4, about = "every collective" }

local len = 8
local all = nranks * len
local mine = rank * len
local one = cuda.buffer("int32", len):fill(function(i) return rank + i end)
local out = cuda.buffer("int32", len):fill(-1)
local big = cuda.buffer("int32", all):fill(function(i) return rank * 1000 + i end)
local far = cuda.buffer("int32", all):fill(-1)

world:all_reduce(one, out, { op = "max" })
stream:sync()
expect.equal(out, function(i) return nranks - 1 + i end)
world:reduce(one, out, { op = "min", root = 1 })
stream:sync()
if rank == 1 then
  expect.equal(out, function(i) return i end)
end
world:broadcast(one, { root = nranks - 1 })
stream:sync()
expect.equal(one, function(i) return nranks - 1 + i end)
one:fill(rank)
world:all_gather(one, far)
stream:sync()
expect.equal(far, function(i) return (i - 1) // len end)
world:reduce_scatter(big, out)
stream:sync()
expect.equal(out, function(i) return 6000 + 4 * (mine + i) end)
world:all_to_all(big, far)
stream:sync()
expect.equal(far, function(i) return (i - 1) // len * 1000 + mine + (i - 1) % len + 1 end)
world:gather(one, far, { root = 2 })
world:scatter(big, out, { root = 3 })
stream:sync()
expect.equal(out, function(i) return 3000 + mine + i end)
world:all_reduce(one, { op = "avg", count = 4, verify = false })
stream:sync()
