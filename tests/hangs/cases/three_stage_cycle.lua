scenario {
  ranks = 3,
  outcome = { hang = { culprit = { 0, 1, 2 }, waiting = { 0, 1, 2 }, why = "p2p-cycle" } },
}

local x = cuda.buffer("int32", 4):fill(1)
world:recv(x, (rank + 1) % nranks)
world:send(x, (rank - 1) % nranks)
stream:sync()
