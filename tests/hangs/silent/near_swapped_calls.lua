scenario { ranks = 3, about = "labels that name the rank, and calls with different peers in any order" }

local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:all_reduce(x, { label = "from " .. rank .. "." .. step })
end
world:all_reduce(x, { label = rank == 0 and "first" or "other" })
world:all_reduce(x, { label = rank == 0 and "last" or "other" })
stream:sync()
