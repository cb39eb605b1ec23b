-- All ranks make all rounds.
scenario { ranks = 6 }
local part, whole = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 24):fill(1)
local y = cuda.buffer("float32", 4):fill(1)
for step = 1, 3 do
  world:all_gather(part, whole)
  world:reduce_scatter(whole, part)
  stream:sync()
  world:broadcast(y, { root = 0 })
  stream:sync()
end
world:all_reduce(y)
world:all_reduce(part)
stream:sync()
