-- One rank calls on the world what the others call on their group, several times in a row.
scenario { ranks = 4 }
local group = world:split { color = rank // 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 4):fill(1)
for step = 1, 2 do
  for layer = 1, 3 do
    local comm = rank == 3 and world or group
    comm:all_reduce(x)
  end
  world:all_reduce(y)
  stream:sync()
end
