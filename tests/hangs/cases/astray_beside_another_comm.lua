-- One rank leaves out a call on world between calls on a tensor-parallel group.
scenario { ranks = 4 }
local g, n = cuda.buffer("float32", 4096):fill(1), cuda.buffer("float32", 1):fill(1)
local tp = world:split { color = rank // 2 }
for step = 1, 5 do
  tp:all_reduce(g)
  if not (rank == 2 and step == 3) then world:all_reduce(n, { op = "max" }) end
end
stream:sync()
