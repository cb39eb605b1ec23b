scenario { ranks = 2 }

local x   = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local win = world:window(x, { symmetric = true })

world:signal(1 - rank)
world:wait_signal(1 - rank)
world:wait_signal(1 - rank)
world:put_signal(x:part(0, 2), 1 - rank, win, { first = 5 })
stream:sync()
