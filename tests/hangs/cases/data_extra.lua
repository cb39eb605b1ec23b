-- Rank 1 takes the third step twice: two calls of it are alike, and one of them is too much.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16)
for step = 1, 8 do
  for _ = 1, rank == 1 and step == 3 and 2 or 1 do
    x:fill(step)
    world:all_reduce(x)
    stream:sync()
  end
end
