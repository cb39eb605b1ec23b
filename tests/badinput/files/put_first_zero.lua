scenario { ranks = 1 }
local x = cuda.buffer("float32", 4, { memory = "nccl" })
world:put_signal(x, 0, world:window(x), { first = 0 })
