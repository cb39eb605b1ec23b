scenario {
  ranks   = 2,
  about   = "opposite order on streams of their own: a device that is full has no room for the second",
  sim     = { lanes = 1 }, needs = { driver = "sim" },
  outcome = { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, why = "comm-order" } },
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

-- The streams are independent, so both orders would do if the device could hold both kernels. How
-- many it holds depends on its size and on what else runs on it.
if rank == 0 then
  world:all_reduce(x)
  rows:all_reduce(y)
else
  rows:all_reduce(y)
  world:all_reduce(x)
end
world.stream:sync()
rows.stream:sync()
