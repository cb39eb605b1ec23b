-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 8 }

local mean, grads = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 1024):fill(1)
for step = 1, 3 do
  world:broadcast(mean, { root = 0 })
  for layer = 1, 5 do
    world:all_reduce(grads)
  end
  stream:sync()
end
stream:sync()
