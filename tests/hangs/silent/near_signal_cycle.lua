scenario { ranks = 3, about = "everybody signals the next and waits for the one before, in one stream" }

for _ = 1, 3 do
  world:signal((rank + 1) % nranks)
  world:wait_signal((rank - 1) % nranks)
end
stream:sync()
