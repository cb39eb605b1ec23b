-- Two scatters from two roots in another order on one rank: all values are right.
scenario { ranks = 3 }
local x, y = cuda.buffer("float32", 12):fill(rank + 1), cuda.buffer("float32", 12):fill(10 * rank)
local a, b = cuda.buffer("float32", 4):fill(0), cuda.buffer("float32", 4):fill(0)
if rank == 2 then
  world:scatter(y, b, { root = 1 })
  world:scatter(x, a, { root = 0 })
else
  world:scatter(x, a, { root = 0 })
  world:scatter(y, b, { root = 1 })
end
stream:sync()
expect.equal(a, 1)
expect.equal(b, 10)
