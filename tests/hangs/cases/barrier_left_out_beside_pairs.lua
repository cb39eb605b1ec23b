scenario { ranks = 8, outcome = { hang = { culprit = 5 } } }
local x = cuda.buffer("float32", 64)
local tp = world:split { color = rank // 2, name = "tp" }
for i = 1, 3 do
  barrier()
  if not (rank == 5 and i == 2) then barrier() end
  tp:all_reduce(x)
end
stream:sync()
