scenario {
  about  = "the mended buffer_freed: the buffer goes back in the order of the stream that uses it",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local side, used = cuda.stream(), cuda.event()
local x = cuda.buffer("float32", 1024, { stream = side }):fill(rank + 1)

stream:delay(1e-3)
world:all_reduce(x)
used:record(stream)
if rank == param.culprit then
  side:wait(used)
  x:free { stream = side }
  side:sync()
end
stream:sync()
