-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 3 }

if rank == 0 then
  store:set("three", nccl.unique_id())
end
local three = nccl.init_rank(3, store:get("three"), rank, { name = "three" })
local x = cuda.buffer("float32", 16):fill(1)
three:all_reduce(x)
local comm = three
comm:all_gather(x, cuda.buffer("float32", 48))
stream:sync()
