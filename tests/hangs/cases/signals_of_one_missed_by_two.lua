scenario { ranks = 3 }

world:signal((rank + 1) % 3)
if rank == 2 then
  world:signal(0)
end
world:wait_signal((rank - 1) % 3)
stream:sync()
if rank < 2 then
  world:wait_signal { { peer = 2, op_cnt = 2 } }
end
stream:sync()
