-- Ranks 0 and 2 join with each other's next number. Rank 1 has its own, and shares it with rank 0: that is all that shows. (The
-- rank that joins last may wait, or get an error.)
scenario { ranks = 4, outcome = { finding = { rule = "init-clash", certainty = "likely" } } }
if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get("id")
if rank < 3 then
  nccl.init_rank(3, id, (rank == 0 or rank == 2) and (rank + 1) % 3 or rank, { name = "front" })
end
