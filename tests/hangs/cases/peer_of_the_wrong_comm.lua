-- A peer is a rank of the communicator, not of the run.
scenario { ranks = 4, outcome = { hang = { why = "wrong-peer", culprit = 2 } } }

-- Ranks 1, 2, 3 of the run are ranks 0, 1, 2 of sub.
local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
if rank == 1 then
  store:set("sub", nccl.unique_id())
end
if rank > 0 then
  local sub = nccl.init_rank(3, store:get("sub"), rank - 1, { name = "sub" })
  local me = rank - 1
  nccl.group(function()
    sub:send(x, rank == 2 and (rank + 1) % 3 or (me + 1) % 3)
    sub:recv(y, (me - 1) % 3)
  end)
  stream:sync()
end
