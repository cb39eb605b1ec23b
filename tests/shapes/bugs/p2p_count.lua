-- hang p2p-count-mismatch guilty
steps = { all(reduce), sync, all(function(r)
  r.a:send(r.x, (r.rank + 1) % r.n, { count = r.guilty and 32 or 64, stream = r.s })
  r.a:recv(r.y, (r.rank - 1) % r.n, { count = 64, stream = r.s })
end), sync }
