scenario { ranks = 4 }
local x = cuda.buffer("float32", 64)
local tp = world:split { color = rank // 2, name = "tp" }
for i = 1, 2 do
  for j, n in ipairs { 16, 16, 8 } do
    if not (rank == 2 and i == 1 and j == 1) then tp:all_reduce(x, { count = n }) stream:sync() end
  end
  stream:sync() barrier()
end
stream:sync()
