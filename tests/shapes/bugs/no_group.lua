-- hang p2p-cycle all
-- except thread: one thread without a group waits for itself, one-thread-no-group
steps = { all(reduce), sync, { call = function(r)
  r.a:send(r.x, (r.rank + 1) % r.n, { stream = r.s })
  r.a:recv(r.y, (r.rank - 1) % r.n, { count = 64, stream = r.s })
end }, sync }
