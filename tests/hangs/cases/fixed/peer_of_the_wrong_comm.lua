-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 4 }

-- Ranks 1, 2, 3 of the run are ranks 0, 1, 2 of sub.
local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
if rank == 1 then
  store:set("sub", nccl.unique_id())
end
if rank > 0 then
  local sub = nccl.init_rank(3, store:get("sub"), rank - 1, { name = "sub" })
  local me = rank - 1
  nccl.group(function()
    sub:send(x, (me + 1) % 3)
    sub:recv(y, (me - 1) % 3)
  end)
  stream:sync()
end
