-- hang missing-group-end guilty
-- except thread: the group is open for all that the thread does from there on
steps = { all(reduce), sync, { call = function(r)
  if r.guilty then C.ncclGroupStart() end
  reduce(r)
end }, sync }
