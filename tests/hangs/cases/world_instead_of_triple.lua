-- One of three takes the other communicator.
scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "wrong-comm" } } }

if rank == 0 then
  store:set("three", nccl.unique_id())
end
local three = nccl.init_rank(3, store:get("three"), rank, { name = "three" })
local x = cuda.buffer("float32", 16):fill(1)
three:all_reduce(x)
local comm = rank == 1 and world or three
comm:all_gather(x, cuda.buffer("float32", 48))
stream:sync()
