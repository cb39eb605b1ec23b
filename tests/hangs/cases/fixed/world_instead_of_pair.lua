-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 2 }

if rank == 0 then
  store:set("pair", nccl.unique_id())
end
local pair = nccl.init_rank(2, store:get("pair"), rank, { name = "pair" })
local x = cuda.buffer("float32", 16):fill(1)
local comm = pair
comm:all_reduce(x)
stream:sync()
