scenario { ranks = 3 }

local x = cuda.buffer("float32", 8)
if rank < 2 then
  world:signal(1 - rank)
  world:wait_signal(1 - rank)
end
world:all_reduce(x)
stream:sync()
