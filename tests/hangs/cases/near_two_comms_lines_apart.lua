-- Two communicators in opposite order, first used here: each call has a line of its own.
scenario { ranks = 3, outcome = { hang = { why = "comm-order" } } }

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
local x = cuda.buffer("float32", 64):fill(1)
if rank == 1 then
  rows:all_reduce(x)
  stream:sync()
  world:all_reduce(x)
else
  world:all_reduce(x)
  stream:sync()
  rows:all_reduce(x)
end
stream:sync()
