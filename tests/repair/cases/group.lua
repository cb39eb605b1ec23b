-- Each waits for its send before it receives.
scenario { ranks = 2, outcome = { hang = { why = "p2p-cycle" } } }

local mine, theirs = cuda.buffer("int32", 8):fill(rank + 1), cuda.buffer("int32", 8)
world:send(mine, 1 - rank)
stream:sync()
world:recv(theirs, 1 - rank)
stream:sync()
expect.equal(theirs, 2 - rank)
