scenario { ranks = 2, world = false, params = { waits = false } }

-- Rank 0 comes after 100 seconds: later than the others try by default.
if rank == 0 then
  sleep(100)
  if param.waits then
    nccl.init_rank(nranks, nccl.unique_id(), rank)
  end
else
  local ok, e = pcall(nccl.init_rank, nranks, nccl.unique_id(), rank)
  print(ok and "joined" or e.name, clock() > 59)
end
