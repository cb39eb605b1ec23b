scenario { ranks = 2 }

world:signal(1 - rank)
world:wait_signal(1 - rank)
stream:sync()
if rank == 0 then
  error("no more signals")
end
world:wait_signal(0)
stream:sync()
