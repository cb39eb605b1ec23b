-- hang extra-call guilty
steps = { all(reduce), all(function(r) if r.guilty then broadcast(r) end end), all(reduce), sync }
