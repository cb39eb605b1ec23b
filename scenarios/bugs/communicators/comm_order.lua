scenario {
  ranks   = 2,
  about   = "two communicators on one stream, used in opposite order",
  outcome = { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, why = "comm-order" } },
}

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

-- Rank 0's call on rows is behind its call on world, rank 1's the other way round.
if rank == 0 then
  world:all_reduce(x)
  rows:all_reduce(y)
else
  rows:all_reduce(y)
  world:all_reduce(x)
end
stream:sync()
