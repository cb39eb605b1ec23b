scenario { ranks = 8, world = false, about = "initialisation with several ids, which share its work" }

if rank < 2 then
  store:set("id" .. rank, nccl.unique_id())
end

-- The same ids in the same order on every rank.
local comm = nccl.init_rank(nranks, { store:get("id0"), store:get("id1") }, rank)
expect.equal(comm.rank, rank)

local x = cuda.buffer("uint32", 8):fill(1)
comm:all_reduce(x)
stream:sync()
expect.equal(x, 8)
