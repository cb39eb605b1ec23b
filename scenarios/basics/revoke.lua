scenario {
  ranks = 4, needs = { nccl = "2.28.9" },
  about = "one rank fails: all revoke the communicator and split a new one from it",
}

local x = cuda.buffer("float32", 64):fill(1)
world:all_reduce(x)
stream:sync()

-- Rank 1 cannot make its next call. The others are in it, and wait.
if rank == 1 then
  store:set("failed", true)
else
  world:all_reduce(x)
  store:get("failed")
end

-- Revoke is local, like abort, but the communicator stays: it can still be split or shrunk.
world:revoke()
stream:sync()
expect.equal(world.state, "revoked")
expect.that(world.interrupted)
expect.error("ncclInvalidUsage", function() world:all_reduce(x) end)

local again = world:split { color = 0 }
x:fill(rank)
again:all_reduce(x)
stream:sync()
expect.equal(x, 6)
again:destroy()
world:destroy()
