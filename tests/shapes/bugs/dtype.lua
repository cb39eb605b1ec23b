-- wrong dtype-mismatch guilty
steps = { all(reduce), all(function(r) r.a:all_reduce(r.guilty and r.i or r.x, { stream = r.s }) end), sync }
