scenario { ranks = 1024, about = "a ring of sends without a group, after 98 calls" }
local x, y = cuda.buffer("float32", 8), cuda.buffer("float32", 8)
for step = 1, 98 do
  world:all_reduce(x)
end
world:send(x, (rank + 1) % nranks)
world:recv(y, (rank - 1) % nranks)
stream:sync()
