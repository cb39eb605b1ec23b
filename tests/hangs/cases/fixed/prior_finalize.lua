scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:all_reduce(x)
  world:broadcast(x)
  stream:sync()
end
world:finalize()
