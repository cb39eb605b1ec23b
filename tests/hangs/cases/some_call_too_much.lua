-- The first six of sixteen ranks evaluate amid a step, between groups of two kinds.
scenario { ranks = 16, outcome = { hang = { why = "extra-call", culprit = { 0, 1, 2, 3, 4, 5 } } } }

local shard, replica = world:split { color = rank // 8 }, world:split { color = rank % 8 }
local grads, accuracy = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 4):fill(1)
for epoch = 1, 2 do
  for step = 1, 3 do
    shard:all_reduce(grads)
    if rank < 6 and step % 2 == 0 then world:all_reduce(accuracy) end
    for layer = 1, 3 do
      shard:all_reduce(grads)
      replica:all_reduce(grads)
    end
    world:all_reduce(accuracy)
  end
end
stream:sync()
