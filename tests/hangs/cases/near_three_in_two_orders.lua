scenario { ranks = 3 }

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
for step = 1, 4 do
  if rank == 1 and step == 3 then
    rows:all_reduce(y)
    stream:sync()
    world:all_reduce(x)
  else
    world:all_reduce(x)
    stream:sync()
    rows:all_reduce(y)
  end
  stream:sync()
end
