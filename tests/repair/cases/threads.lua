-- The main thread of each rank waits for its send before it receives; another thread uses a stream of its
-- own meanwhile, and what it waits for is none of that group's.
scenario { ranks = 2, outcome = { hang = { why = "p2p-cycle" } } }

local rows, side = world:split { color = 0, name = "rows" }, cuda.stream()
local mine, theirs = cuda.buffer("int32", 8):fill(rank + 1), cuda.buffer("int32", 8)
local sum = cuda.buffer("int32", 8):fill(1)
local worker = spawn(function()
  sleep(0.005)
  rows:all_reduce(sum, { stream = side })
  side:sync()
  expect.equal(sum, 2)
end)
world:send(mine, 1 - rank)
stream:sync()
sleep(0.010)
world:recv(theirs, 1 - rank)
stream:sync()
expect.equal(theirs, 2 - rank)
worker:join()
