scenario { ranks = 4, world = false, about = "communicators of several sizes, each with its own id; late, and as other ranks" }

if rank == 0 then
  for _, name in ipairs { "all", "three" } do
    store:set(name, nccl.unique_id())
  end
end
sleep(3 - rank)
local all = nccl.init_rank(4, store:get("all"), 3 - rank, { name = "all" })
local x = cuda.buffer("int32", 1):fill(1)
if rank > 0 then
  local three = nccl.init_rank(3, store:get("three"), rank - 1, { name = "three" })
  three:all_reduce(x, { stream = stream })
end
all:all_reduce(x, { stream = stream })
stream:sync()
expect.equal(x, 10)
