-- All ranks make the same rounds; not every round has the log and the gather.
scenario { ranks = 8 }
local group, across = world:split { color = rank // 4 }, world:split { color = rank % 4 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 4):fill(1)
local whole = cuda.buffer("float32", 32):fill(0)
for step = 1, 4 do
  for layer = 1, 3 do
    group:all_reduce(x)
  end
  group:all_reduce(y)
  nccl.group(function()
    across:all_reduce(x)
    across:all_reduce(y)
  end)
  if step % 3 == 0 then
    across:all_reduce(y)
  end
  stream:sync()
  if step % 2 == 0 then
    world:gather(y, whole, { root = 0 })
  end
end
for batch = 1, 3 do
  world:all_reduce(y)
end
stream:sync()
