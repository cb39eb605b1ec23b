-- One rank makes one round fewer; the calls of a round alternate between three communicators.
scenario { ranks = 8 }
local tp, dp = world:split { color = rank // 4 }, world:split { color = rank % 4 }
local part, whole = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 16):fill(1)
local y = cuda.buffer("float32", 4):fill(1)
for step = 1, (rank == 6 and 3 or 4) do
  for layer = 1, 2 do
    tp:all_gather(part, whole)
    dp:all_reduce(part)
    tp:reduce_scatter(whole, part)
  end
  world:all_reduce(y)
  stream:sync()
  if step % 2 == 1 then
    world:broadcast(y, { root = 0 })
    tp:all_reduce(y)
  end
end
world:all_reduce(part)
tp:all_reduce(y)
stream:sync()
