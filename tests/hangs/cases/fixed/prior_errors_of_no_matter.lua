scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  pcall(cuda.buffer, "int8", 1 << 44)
  if rank == 2 then pcall(error, "in each step") end
  world:broadcast(x)
  world:all_reduce(x)
  stream:sync()
end
