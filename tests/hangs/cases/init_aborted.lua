-- Rank 2 aborts a communicator in the making; rank 0 never joins it.
scenario { ranks = 4, world = false }
if rank == 1 then store:set("id", nccl.unique_id()) end
local id = store:get("id")
if rank == 2 then
  local c = nccl.init_rank(4, id, 2, { blocking = false })
  sleep(1) -- the others have come to it
  c:abort()
elseif rank ~= 0 then
  nccl.init_rank(4, id, rank)
end
