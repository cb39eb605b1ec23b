scenario { ranks = 3, world = false }

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank ~= 2 then
  local team = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false, name = "team" })
  while team.state == "pending" do
    sleep(0.001)
  end
end
