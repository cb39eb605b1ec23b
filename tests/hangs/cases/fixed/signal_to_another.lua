-- Each rank puts to the next one, and waits for the one before.
scenario { ranks = 3 }

local x   = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local win = world:window(x, { symmetric = true })

world:put_signal(x:part(0, 2), (rank + 1) % nranks, win, { first = 5 })
world:wait_signal((rank - 1) % nranks)
world:all_reduce(x:part(0, 2))
stream:sync()
