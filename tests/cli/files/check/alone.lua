scenario { ranks = 3, outcome = "pass" }
if rank == 2 then return end
store:get("never")
