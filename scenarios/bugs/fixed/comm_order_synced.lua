scenario {
  ranks = 2,
  about = "the mended comm_order_synced: opposite order, and no host waits in between",
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

-- It needs room on the device for both operations at once: one order for all is the safer cure.
if rank == 0 then
  world:all_reduce(x)
  rows:all_reduce(y)
else
  rows:all_reduce(y)
  world:all_reduce(x)
end
world.stream:sync()
rows.stream:sync()
expect.equal(x, 4)
expect.equal(y, 4)
