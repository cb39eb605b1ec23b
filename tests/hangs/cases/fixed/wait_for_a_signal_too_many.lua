-- Each rank waits for as many signals as the other one sends.
scenario { ranks = 2 }

for step = 1, 3 do
  world:signal(1 - rank)
  world:wait_signal(1 - rank)
end
stream:sync()
