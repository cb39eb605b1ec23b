scenario {
  about  = "the mended producer_stream: the reducing stream waits for the event on every rank",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 1024):fill(0)
local gradients = cuda.buffer("float32", 1024):fill(rank + 1)
local compute, ready = cuda.stream(), cuda.event()

compute:delay(rank == param.culprit and 2e-3 or 1e-3) -- the backward pass
x:copy_from(gradients, { stream = compute })
ready:record(compute)
stream:wait(ready)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks + 1) / 2)
