scenario { ranks = 3, outcome = { hang = { waiting = 0, why = "host-wait" } } }

if rank == 0 then
  store:get("never")
end
