scenario { ranks = 4 }

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()
for step = 1, 4 do
  if rank == 2 and step == 3 then
    rows:all_reduce(y)
  end
  world:all_reduce(x)
  rows:all_reduce(y)
end
stream:sync()
