scenario {
  ranks   = 2,
  about   = "two communicators on streams of their own, but the hosts wait in between",
  outcome = { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, why = "comm-order" } },
}

if rank == 0 then
  store:set("rows", nccl.unique_id())
end
local rows = nccl.init_rank(nranks, store:get("rows"), rank, { name = "rows" })
rows.stream = cuda.stream()
local x = cuda.buffer("float32", 64):fill(1)

-- Once through in the same order, so that both communicators are set up.
world:all_reduce(x)
world.stream:sync()
rows:all_reduce(x)
rows.stream:sync()

-- Without the waits the opposite order would do no harm here: the streams are independent. Reading
-- a value on the host is such a wait, and easily overlooked.
local first, second = world, rows
if rank == 1 then
  first, second = rows, world
end
first:all_reduce(x)
first.stream:sync()
second:all_reduce(x)
second.stream:sync()
