scenario {
  ranks = 4,
  needs = { nccl = "2.28.3" },
  about = "all-to-all: block p of rank r becomes block r of rank p",
}

local n    = 4
local send = cuda.buffer("int32", nranks * n):fill(function(i) return 10 * rank + (i - 1) // n end)
local recv = cuda.buffer("int32", nranks * n)

-- NCCL makes sends and receives of it: see grouped_exchange.lua for the same by hand. It cannot be
-- done in place: a rank would send on what it has just received.
world:all_to_all(send, recv)
stream:sync()
expect.equal(recv, function(i) return 10 * ((i - 1) // n) + rank end)
