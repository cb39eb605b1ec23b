scenario {
  ranks   = 2,
  about   = "both send first and receive afterwards: each waits for the other's receive",
  outcome = { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, why = "p2p-cycle" } },
}

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

world:send(mine, other) -- the first contact with a peer waits for its receive, even on the host
world:recv(theirs, other)
stream:sync()
