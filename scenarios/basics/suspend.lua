scenario {
  ranks = 2, needs = { nccl = "2.29.7" },
  about = "a communicator gives its memory back for a while",
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

local before = world:mem_stats()
expect.that(before.suspend > 0)
expect.equal(before.total, before.suspend + before.persist)

-- Both calls are collective, and wait for all ranks.
world:suspend()
expect.equal(world:mem_stats().suspended, 1)
expect.error("ncclInvalidUsage", function() world:suspend() end)
world:resume()

world:all_reduce(x)
stream:sync()
expect.equal(x, 4)
