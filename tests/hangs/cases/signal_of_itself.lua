scenario { ranks = 3 }

local x = cuda.buffer("float32", 8)
world:signal(rank)
world:wait_signal(rank)
stream:sync()
if rank == 2 then
  world:wait_signal { { peer = 2, op_cnt = 2 } }
end
stream:sync()
world:all_reduce(x)
stream:sync()
