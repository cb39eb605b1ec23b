scenario { ranks = 3, about = "the life of communicators" }
local slow = world:split { color = 0, blocking = false }
local x = cuda.buffer("float64", 4):fill(1)
slow:wait_ready()
slow:all_reduce(x)
slow:wait_ready()
slow.stream:sync()
expect.equal(x, 3)
world:suspend()
world:resume()
local again = world:split { color = rank % 2, key = -rank }
again:all_reduce(x)
stream:sync()
expect.equal(x, rank == 1 and 3 or 6)
slow:finalize()
slow:wait_ready()
slow:destroy()
world:revoke()
world:abort()
