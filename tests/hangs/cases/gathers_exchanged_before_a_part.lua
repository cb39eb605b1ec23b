-- Rank 1 exchanges two gathers in the second round; all ranks use their part behind it.
scenario { ranks = 8, outcome = { hang = { culprit = 1, why = "swapped-calls" } } }
local tp = world:split { color = rank // 4 }
local a, b = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 512)
local c, d = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 8)
local x, y = cuda.buffer("float32", 512):fill(1), cuda.buffer("float32", 512)
local e, f = cuda.buffer("float32", 2048):fill(1), cuda.buffer("float32", 512)
for step = 1, 2 do
  world:all_to_all(x, y)
  if rank == 1 and step == 2 then
    world:all_gather(c, d)
    world:all_gather(a, b)
  else
    world:all_gather(a, b)
    world:all_gather(c, d)
  end
  tp:reduce_scatter(e, f)
end
barrier()
tp:all_reduce(c)
stream:sync()
