scenario {
  about  = "the mended freed_while_registered: first the registration ends, then the buffer is freed",
  needs  = { nccl = "2.19" },
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
local registration = world:register(x)
world:all_reduce(x, { op = "max" })
stream:sync()
expect.equal(x, nranks - 1)
registration:deregister()
if rank == param.culprit then x:free() end
