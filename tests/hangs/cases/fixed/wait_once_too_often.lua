scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:signal((rank + 1) % nranks)
  world:wait_signal((rank - 1) % nranks)
  world:all_reduce(x)
end
stream:sync()
