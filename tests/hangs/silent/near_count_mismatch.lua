scenario { ranks = 3, about = "buffers of different sizes on the ranks, of which the same count is used" }

local x = cuda.buffer("float32", 8 + rank):fill(1)
for count = 1, 8 do
  world:all_reduce(x, { count = count })
end
local y = cuda.buffer("float32", 3 * (1 + rank)):fill(1)
world:all_gather(y:slice(rank + 1, 1), y:slice(1, 3), { count = 1 })
stream:sync()
