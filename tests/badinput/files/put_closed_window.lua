scenario { ranks = 1 }
local x = cuda.buffer("float32", 4, { memory = "nccl" })
local w = world:window(x, { symmetric = true })
w:deregister()
world:put_signal(x, 0, w)
