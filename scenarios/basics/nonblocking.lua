scenario { ranks = 4, world = { blocking = false }, about = "non-blocking: start, poll, then use" }

-- ncclCommInitRankConfig came back with ncclInProgress, before the ranks had met. Until that is
-- over every other call on the communicator is refused.
expect.that(world:wait_ready())
expect.equal(world:async_error(), "ncclSuccess")

-- A call may return ncclInProgress too: then the operation is not on the stream yet, and
-- to synchronise with the stream would be too early.
local x = cuda.buffer("int32", 64):fill(1)
world:all_reduce(x)
world:wait_ready()
stream:sync()
expect.equal(x, nranks)

world:finalize()
world:wait_ready()
world:destroy()
