scenario { ranks = 8, outcome = { hang = true, finding = { certainty = "likely" } } }
local x = cuda.buffer("float32", 64)
local tp = world:split { color = rank // 2, name = "tp" }
for step = 1, 15 do
  for i = 1, rank == 6 and 3 or 2 do tp:all_reduce(x) end
  stream:sync()
end
