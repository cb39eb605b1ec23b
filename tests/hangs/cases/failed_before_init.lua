-- A rank that gets no memory never joins.
scenario { ranks = 3, world = false, outcome = { hang = true } }

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank == 2 and not pcall(cuda.buffer, "float32", 2^42) then
  return
end
nccl.init_rank(nranks, store:get("id"), rank)
