scenario {
  ranks = 2,
  about = "the mended comm_order_synced: one order, and the hosts may wait in between",
}

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

world:all_reduce(x)
rows:all_reduce(y)
world.stream:sync()
rows.stream:sync()

-- The waits do no harm when all ranks go through the communicators in one order. Opposite orders
-- without a wait would need a device with room for both operations at once.
world:all_reduce(x)
world.stream:sync()
rows:all_reduce(y)
rows.stream:sync()
expect.equal(x, 4)
expect.equal(y, 4)
