scenario {
  ranks = 2,
  about = "the mended comm_order: one order of communicators for the whole program",
}

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

world:all_reduce(x)
rows:all_reduce(y)
stream:sync()
expect.equal(x, nranks)
expect.equal(y, nranks)
