-- hang send-without-recv guilty
-- except thread 2: between two ranks a ring and a message that is missing look alike, and here the second is told
-- except threads 2: the sends of both wait for each other
steps = { all(reduce), sync, all(function(r)
  r.a:send(r.x, (r.rank + 1) % r.n, { stream = r.s })
  if not r.guilty then r.a:recv(r.y, (r.rank - 1) % r.n, { count = 64, stream = r.s }) end
end), sync }
