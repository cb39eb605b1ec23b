scenario { ranks = 4 }
local x, stop = cuda.buffer("float32", 8):fill(1), cuda.buffer("int32", 1)
for step = 1, 3 do
  stop:fill(rank == 0 and step == 2 and 1 or 0)
  world:broadcast(stop)
  stream:sync()
  if stop[1] == 1 then break end
  world:all_reduce(x)
  world:broadcast(x)
  stream:sync()
end
