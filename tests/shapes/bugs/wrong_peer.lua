-- hang wrong-peer guilty
-- except process 2: there is no third rank
-- except threads 2: there is no third rank
-- except thread 2: there is no third rank
steps = { all(reduce), sync, all(function(r)
  r.a:send(r.x, (r.rank + (r.guilty and 2 or 1)) % r.n, { stream = r.s })
  r.a:recv(r.y, (r.rank - 1) % r.n, { count = 64, stream = r.s })
end), sync }
