scenario { ranks = 3, about = "a ring of sends and receives without a group" }
local out = cuda.buffer("float32", 64):fill(rank)
local into = cuda.buffer("float32", 64)
world:send(out, (rank + 1) % nranks)
world:recv(into, (rank - 1) % nranks)
stream:sync()
