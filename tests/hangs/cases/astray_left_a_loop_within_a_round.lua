-- One rank leaves the loop in the middle of its last round, and goes on behind it.
scenario { ranks = 6 }
local part, whole = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 24):fill(1)
local y = cuda.buffer("float32", 4):fill(1)
for step = 1, 3 do
  world:all_gather(part, whole)
  world:reduce_scatter(whole, part)
  if rank == 2 and step == 3 then
    break
  end
  stream:sync()
  world:broadcast(y, { root = 0 })
  stream:sync()
end
world:all_reduce(y)
world:all_reduce(part)
stream:sync()
