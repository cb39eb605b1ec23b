-- wrong op-mismatch guilty
steps = { all(reduce), all(function(r) r.a:all_reduce(r.x, { op = r.guilty and "max" or "sum", stream = r.s }) end), sync }
