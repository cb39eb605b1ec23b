-- One of two ranks leaves out a call; the other pair shows which.
scenario { ranks = 4 }
local tp = world:split { color = rank // 2, name = "tp" .. rank // 2 }
local h, l, all = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 2):fill(1), cuda.buffer("float32", 4)
for step = 1, 3 do
  tp:all_reduce(h)
  if not (rank == 3 and step == 2) then
    tp:all_gather(l, all)
  end
  stream:sync()
end
