scenario { ranks = 10, outcome = { hang = { why = "p2p-cycle" } } }

local x = cuda.buffer("float32", 16):fill(1)
world:send(x, (rank + 1) % nranks)
world:recv(x, (rank - 1) % nranks)
stream:sync()
