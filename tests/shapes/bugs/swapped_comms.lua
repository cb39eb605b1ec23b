-- hang comm-order guilty
local function other(r) r.b:all_reduce(r.x, { stream = r.s }) end
steps = { all(reduce), all(other), sync, all(function(r) if r.guilty then other(r) else reduce(r) end end), sync,
          all(function(r) if r.guilty then reduce(r) else other(r) end end), sync }
