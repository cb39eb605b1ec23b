scenario { ranks = 4, about = "another root each time; and one rank of the run is another root in each half" }

local x = cuda.buffer("float32", 8):fill(rank)
local half = world:split { color = rank // 2 }
for root = 0, nranks - 1 do
  world:broadcast(x, { root = root })
  half:reduce(x, { root = (rank // 2 + root) % 2 })
end
stream:sync()
