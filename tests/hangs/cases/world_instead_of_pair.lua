-- One rank makes the call on the communicator over the run, the other on one of the same ranks.
scenario { ranks = 2, outcome = { hang = { why = "wrong-comm" } } }

if rank == 0 then
  store:set("pair", nccl.unique_id())
end
local pair = nccl.init_rank(2, store:get("pair"), rank, { name = "pair" })
local x = cuda.buffer("float32", 16):fill(1)
local comm = rank == 1 and world or pair
comm:all_reduce(x)
stream:sync()
