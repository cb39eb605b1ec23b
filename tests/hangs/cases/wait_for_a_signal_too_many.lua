-- Rank 0 waits for a signal more than rank 1 sends, which sends as many as rank 0 does.
scenario { ranks = 2 }

for step = 1, 3 do
  world:signal(1 - rank)
  world:wait_signal(1 - rank)
  if rank == 0 and step == 2 then
    world:wait_signal(1 - rank)
  end
end
stream:sync()
