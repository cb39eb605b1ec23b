scenario {
  ranks = 4,
  world = { blocking = false },
  sim   = { ready_after = 3 }, needs = { driver = "sim" },
  about = "non-blocking: poll the parent until its child is there",
}

world:wait_ready()

-- The split comes back at once. The parent is in progress meanwhile, and the child is pending.
local half = world:split { color = rank // 2 }
expect.equal(half.state, "pending")
local polls = 0
while world:async_error() == "ncclInProgress" do
  polls = polls + 1
end
expect.that(polls > 0)
expect.equal(half.state, "ready")
expect.equal(half.nranks, 2)

local x = cuda.buffer("int32", 32):fill(rank)
half:all_reduce(x)
half:wait_ready()
stream:sync()
expect.equal(x, rank < 2 and 1 or 5)

half:finalize()
half:wait_ready()
half:destroy()
