scenario { ranks = 8, params = { times = 10 }, about = "many small verified all-reduces" }
local x = cuda.buffer("float32", 2):fill(rank + 1)
for _ = 1, param.times do
    world:all_reduce(x)
    stream:sync()
end
