scenario { ranks = 1024, about = "every fifth rank makes two calls in the other order" }
local x, y = cuda.buffer("float32", 8), cuda.buffer("float32", 4)
if rank % 5 == 1 then
  world:all_reduce(y)
  world:all_reduce(x)
else
  world:all_reduce(x)
  world:all_reduce(y)
end
stream:sync()
