-- hang root-mismatch guilty
steps = { all(reduce), all(function(r) r.a:broadcast(r.x, { root = r.guilty and 1 or 0, stream = r.s }) end), sync }
