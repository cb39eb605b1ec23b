scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
for step = 1, 3 do
  if not (false) then
    barrier()
  end
  pair:all_reduce(x)
  stream:sync()
end
