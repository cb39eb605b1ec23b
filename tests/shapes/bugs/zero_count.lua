-- hang zero-count guilty
steps = { all(reduce), all(function(r) r.a:all_reduce(r.x, { count = r.guilty and 0 or 64, stream = r.s }) end), sync }
