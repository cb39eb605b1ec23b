scenario {
  ranks = 2,
  needs = { gpus = 2 }, -- ranks of one GPU would race for its order
  env = { NCCL_LAUNCH_ORDER_IMPLICIT = "1" },
  about = "NCCL_LAUNCH_ORDER_IMPLICIT: launches of one device start in the order of the host's calls",
}

if rank == 0 then
  store:set("other", nccl.unique_id())
end
local other = nccl.init_rank(nranks, store:get("other"), rank, { name = "other" })
local first, second = cuda.stream { blocking = false }, cuda.stream { blocking = false }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(1)
local finished = cuda.event { timing = false }

-- A long kernel holds back the first launch. The second is on a stream and a communicator of its
-- own, and could run at once; it waits for the first to start.
first:delay(1)
world:all_reduce(x, { stream = first })
other:all_reduce(y, { stream = second })
finished:record(second)
sleep(0.5)
expect.that(not finished:query(), "the second has overtaken the first")
second:sync()
expect.that(clock() >= 1, "the second did not wait")
expect.equal(y, nranks)
first:sync()
expect.equal(x, nranks)
other:destroy()
