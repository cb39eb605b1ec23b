scenario { ranks = 2 }
local y = cuda.buffer("int32", 8):fill(0)
world:gather(y:slice(1, 1):fill(2), rank == 1 and y or nil, { root = 1 })
print(y[1])                     -- known on rank 0 alone
local z = cuda.buffer("int32", 4, { memory = "nccl" }):fill(5)
local w = world:window(z, { symmetric = true })
print(z[1])                     -- known
barrier()
world:put_signal(z:slice(1, 1), 1 - rank, w, { count = 1, first = 2 })
world:wait_signal(1 - rank)
stream:sync()
print(z[2])                     -- not known
