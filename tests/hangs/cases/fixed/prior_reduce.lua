scenario { ranks = 4 }
local loss, total = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 1):fill(0)
for step = 1, 3 do
  world:all_reduce(loss, total)
  stream:sync()
  if total[1] < nranks then
    world:all_reduce(loss, { op = "avg" })
  end
  world:broadcast(loss)
  stream:sync()
end
