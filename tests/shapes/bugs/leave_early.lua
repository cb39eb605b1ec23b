-- hang skipped-call guilty
steps = { all(reduce), sync, { call = function(r) r.over = r.guilty end }, all(broadcast), all(reduce), sync }
