-- One rank makes one round more: each of its calls is one that the others make, too.
scenario { ranks = 8 }
local part, whole = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 32):fill(1)
local y = cuda.buffer("float32", 4):fill(1)
for epoch = 1, 2 do
  for step = 1, (rank == 5 and epoch == 1 and 4 or 3) do
    for layer = 1, 2 do
      world:all_gather(part, whole)
      stream:sync()
    end
    world:reduce_scatter(whole, part)
    world:all_reduce(part)
    stream:sync()
  end
  world:all_reduce(y)
  stream:sync()
end
