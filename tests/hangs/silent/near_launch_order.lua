scenario { ranks = 2, sim = { lanes = 2 }, about = "two communicators in opposite order, where each call has ended before the next" }

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)
for turn = 1, 4 do
  if turn % 2 == 0 then
    world:all_reduce(x)
    rows:all_reduce(y)
  else
    rows:all_reduce(y)
    world:all_reduce(x)
  end
  world.stream:sync()
  rows.stream:sync()
end
