-- Launches of a graph have made calls on the communicator before: their numbers count.
scenario { ranks = 3, needs = { driver = "sim" }, outcome = { hang = { culprit = 1, why = "skipped-call" } } }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 8):fill(1)
local g = cuda.graph(stream, function() world:all_reduce(x) world:all_reduce(x) end)
for step = 1, 3 do
  g:launch(stream)
  stream:sync()
  if not (rank == 1 and step == 3) then
    world:all_reduce(y)
  end
  stream:sync()
  world:broadcast(x, { root = 0 })
  stream:sync()
end
