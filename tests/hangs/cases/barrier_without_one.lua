scenario { ranks = 3, outcome = { hang = { culprit = 2, waiting = { 0, 1 }, why = "host-wait" } } }

if rank ~= 2 then
  barrier()
end
