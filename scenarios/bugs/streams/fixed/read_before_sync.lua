scenario {
  about  = "the mended read_before_sync: the host waits for the stream, another stream for an event",
  params = { by = "host", late = 1e-3 },
  matrix = { ranks = { 2, 4 }, by = { "host", "stream" } },
}

local x    = cuda.buffer("float32", 1024):fill(rank + 1)
local sum  = cuda.buffer("float32", 1024):fill(0)
local copy = cuda.buffer("float32", 1024, { memory = "pinned" })
local side, done = cuda.stream(), cuda.event()

stream:delay(param.late)
world:all_reduce(x, sum)
if param.by == "host" then
  stream:sync()
  copy:copy_from(sum)
else
  done:record(stream)
  side:wait(done)
  copy:copy_from(sum, { stream = side })
  side:sync()
end
expect.equal(copy, nranks * (nranks + 1) / 2)
stream:sync()
