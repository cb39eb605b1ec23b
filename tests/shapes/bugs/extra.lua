-- hang extra-call guilty
steps = { all(reduce), sync, all(function(r) if r.guilty then reduce(r) end end), sync }
