-- All branch on the result of a reduce that only its root has.
scenario { ranks = 4 }
local loss, total = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 1):fill(0)
for step = 1, 3 do
  world:reduce(loss, total, { root = 1 })
  stream:sync()
  if total[1] < nranks then
    world:all_reduce(loss, { op = "avg" })
  end
  world:broadcast(loss)
  stream:sync()
end
