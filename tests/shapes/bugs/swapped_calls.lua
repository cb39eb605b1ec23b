-- hang swapped-calls guilty
steps = { all(reduce), sync, all(function(r) if r.guilty then reduce(r) else broadcast(r) end end),
          all(function(r) if r.guilty then broadcast(r) else reduce(r) end end), sync }
