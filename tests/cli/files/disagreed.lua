scenario { ranks = 3, about = "two gathers in another order on one rank: every value is right here" }

local x, y = cuda.buffer("float32", 4):fill(rank + 1), cuda.buffer("float32", 4):fill(10 * rank)
local a, b = cuda.buffer("float32", 12):fill(0), cuda.buffer("float32", 12):fill(0)
world:all_reduce(x)
stream:sync()
if rank == 2 then
  world:gather(y, b, { root = 1 })
  world:gather(x, a, { root = 0 })
else
  world:gather(x, a, { root = 0 })
  world:gather(y, b, { root = 1 })
end
stream:sync()
if rank == 0 then expect.equal(a, 6) end
if rank == 1 then expect.equal(b, function(i) return (i - 1) // 4 * 10 end) end
