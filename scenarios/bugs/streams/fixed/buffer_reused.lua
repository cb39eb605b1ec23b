scenario {
  about  = "the mended buffer_reused: the buffer is written again when the stream, or an event, says so",
  params = { culprit = 1, by = "host" },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 }, by = { "host", "stream" } },
}

local x    = cuda.buffer("float32", 1024):fill(rank + 1)
local sum  = cuda.buffer("float32", 1024)
local zero = cuda.buffer("float32", 1024):fill(0)
local side, sent = cuda.stream(), cuda.event()

stream:delay(1e-3)
world:all_reduce(x, sum)
sent:record(stream)
if rank == param.culprit then
  if param.by == "host" then
    sent:sync()
    x:fill(0)
  else
    side:wait(sent)
    x:copy_from(zero, { stream = side })
    side:sync()
  end
end
stream:sync()
expect.equal(sum, nranks * (nranks + 1) / 2)
