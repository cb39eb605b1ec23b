-- One of two ranks makes a call at a line that no other rank reaches.
scenario { ranks = 4 }
local tp = world:split { color = rank // 2, name = "tp" .. rank // 2 }
local h, loss = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 1):fill(1)
for step = 1, 3 do
  tp:all_reduce(h)
  if rank == 3 and step == 2 then tp:all_reduce(loss) end
end
stream:sync()
