scenario {
  ranks = 2,
  about = "the mended read_before_sync: an event orders the copy behind the result",
}

local x    = cuda.buffer("float32", 1024):fill(rank + 1)
local sum  = cuda.buffer("float32", 1024):fill(0)
local copy = cuda.buffer("float32", 1024, { memory = "pinned" })
local side, done = cuda.stream(), cuda.event()

stream:delay(1e-3)
world:all_reduce(x, sum)
done:record(stream)
side:wait(done)
copy:copy_from(sum, { stream = side })
side:sync()
expect.equal(copy, 3)
