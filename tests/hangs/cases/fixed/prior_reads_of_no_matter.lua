scenario { ranks = 4 }
local loss, total = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 1):fill(0)
for step = 1, 3 do
  world:reduce(loss, total)
  stream:sync()
  if rank == 0 then print(total[1]) end
  world:broadcast(total)
  stream:sync()
  if total[1] >= 0 then world:all_reduce(loss, { op = "max" }) end
  world:broadcast(loss)
  stream:sync()
end
