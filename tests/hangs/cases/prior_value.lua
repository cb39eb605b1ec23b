-- A value is no number on one rank, which leaves out the step.
scenario { ranks = 4 }
local loss, total = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 1)
for step = 1, 3 do
  world:all_reduce(loss, total)
  stream:sync()
  if rank == 2 and step == 2 then total:fill(0 / 0) end
  local t = total[1]
  if t == t then
    world:all_reduce(loss, { op = "max" })
  end
  world:broadcast(loss)
  stream:sync()
end
