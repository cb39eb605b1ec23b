-- hang skipped-call guilty
steps = { all(reduce), sync, all(function(r) if not r.guilty then broadcast(r) end end), all(reduce), sync }
