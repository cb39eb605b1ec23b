scenario { ranks = 4 }
local loss, total = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 1)
for step = 1, 3 do
  world:all_reduce(loss, total)
  stream:sync()
  if rank == 2 and step == 2 then total:fill(0 / 0) end
  world:all_reduce(loss, { op = "max" })
  world:broadcast(loss)
  stream:sync()
end
