scenario { ranks = 4, outcome = { hang = true, finding = { certainty = "likely" } } }
local x, y = cuda.buffer("float32", 64), cuda.buffer("float32", 64)
local tp = world:split { color = rank // 2, name = "tp" }
for i = 1, 2 do
  if not (rank == 2 and i == 1) then
    nccl.group(function() tp:all_reduce(x, { count = 8 }) world:all_reduce(y, { count = 8 }) end)
  end
  tp:reduce(x, { count = 16, root = 0 })
end
stream:sync()
