-- hang early-destroy guilty
steps = { all(reduce), sync, { call = function(r) if r.guilty then r.a:destroy() r.over = true end end },
          all(reduce), sync }
