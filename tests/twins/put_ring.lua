scenario { ranks = 4, about = "a ring of puts, each signalled" }

local size = 16
local right, left = (rank + 1) % nranks, (rank - 1) % nranks
local x = cuda.buffer("float32", 2 * size, { memory = "nccl" }):fill(-1)
local win = world:window(x, { symmetric = true })

x:part(0, 2):fill(rank)
world:put_signal(x:part(0, 2), right, win, { first = size + 1 })
world:wait_signal(left)
stream:sync()
expect.equal(x:part(1, 2), left)
world:signal(left)
world:wait_signal { { peer = right, op_cnt = 1 } }
stream:sync()
