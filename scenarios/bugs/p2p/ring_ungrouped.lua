scenario {
  ranks   = 4,
  about   = "everybody sends to the right, then receives from the left: a wait all around the ring",
  outcome = { hang = { culprit = { 0, 1, 2, 3 }, waiting = { 0, 1, 2, 3 }, why = "p2p-cycle" } },
}

local right, left  = (rank + 1) % nranks, (rank - 1) % nranks
local mine, theirs = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

world:send(mine, right)
world:recv(theirs, left)
stream:sync()
