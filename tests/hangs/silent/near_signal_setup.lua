scenario { ranks = 3, about = "two ranks signal each other; the third signals itself, which is enough" }

if rank < 2 then
  world:signal(1 - rank)
  world:wait_signal(1 - rank)
else
  sleep(60)
  world:signal(rank)
end
stream:sync()
