-- The send names its peer by its number in the run, not in the communicator.
scenario { ranks = 4, outcome = { hang = { why = "wrong-peer" } } }

if rank == 2 then
  store:set("turned", nccl.unique_id())
end
local me = (rank + 2) % nranks
local turned = nccl.init_rank(nranks, store:get("turned"), me, { name = "turned" })
local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
nccl.group(function()
  turned:send(x, (rank + 1) % nranks)
  turned:recv(y, (me - 1) % nranks)
end)
stream:sync()
