scenario {
  ranks = 4,
  about = "a buffer is registered with the communicator, used, and deregistered before it is freed",
}

-- Registration is this rank's own business. It changes how NCCL moves the data, not the result; a
-- range inside a registered one is the same registration, used once more.
local x       = cuda.buffer("float32", 1024, { memory = "nccl" }):fill(rank + 1)
local whole   = world:register(x)
local quarter = world:register(x:part(1, 4))

world:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks + 1) / 2)

quarter:deregister()
whole:deregister()
x:free()
