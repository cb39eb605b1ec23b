scenario { ranks = 8 }
local tp = world:split { color = rank // 4 }
local a, b = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 512)
local c, d = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 8)
local x, y = cuda.buffer("float32", 512):fill(1), cuda.buffer("float32", 512)
local e, f = cuda.buffer("float32", 2048):fill(1), cuda.buffer("float32", 512)
for step = 1, 2 do
  world:all_to_all(x, y)
  world:all_gather(a, b)
  world:all_gather(c, d)
  tp:reduce_scatter(e, f)
end
barrier()
tp:all_reduce(c)
stream:sync()
