-- hang recv-without-send guilty
-- except thread 2: between two ranks a ring and a message that is missing look alike, and here the second is told
steps = { all(reduce), sync, all(function(r)
  if not r.guilty then r.a:send(r.x, (r.rank + 1) % r.n, { stream = r.s }) end
  r.a:recv(r.y, (r.rank - 1) % r.n, { count = 64, stream = r.s })
end), sync }
