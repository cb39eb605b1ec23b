-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 16 }

local shard, replica = world:split { color = rank // 8 }, world:split { color = rank % 8 }
local grads, accuracy = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 4):fill(1)
for epoch = 1, 2 do
  for step = 1, 3 do
    shard:all_reduce(grads)
    for layer = 1, 3 do
      shard:all_reduce(grads)
      replica:all_reduce(grads)
    end
    world:all_reduce(accuracy)
  end
end
stream:sync()
