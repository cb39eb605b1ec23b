scenario {
  ranks   = 2,
  about   = "the mended lanes: one order on all ranks",
  sim     = { lanes = 1 },
}

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

-- Once through in the same order, so that both communicators are set up.
world:all_reduce(x)
rows:all_reduce(y)
world.stream:sync()
rows.stream:sync()

-- One kernel at a time is enough when the devices take them up in one order.
world:all_reduce(x)
rows:all_reduce(y)
world.stream:sync()
rows.stream:sync()
expect.equal(x, 4)
expect.equal(y, 4)
