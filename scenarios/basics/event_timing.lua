scenario { ranks = 2, needs = { driver = "sim" }, about = "events measure the time of the devices" }

local a, b = cuda.event(), cuda.event()
local x = cuda.buffer("float32", 1 << 20):fill(rank)

a:record(stream)
stream:delay(2e-3)
b:record(stream)
expect.that(not b:query(), "not yet")
expect.error("cudaErrorNotReady", a.elapsed, a, b)
b:sync()
local kernel = a:elapsed(b)
expect.that(kernel >= 2e-3 and kernel < 2.1e-3, "a kernel of two milliseconds")

-- Recorded anew it stands for the new place. What the host does meanwhile takes no time of the
-- device's.
a:record(stream)
world:all_reduce(x)
b:record(stream)
sleep(1)
stream:sync()
expect.that(a:elapsed(b) > 0 and a:elapsed(b) < 1e-2, "the all-reduce alone")

-- Without a record, and without timing, there is nothing to measure.
expect.error("cudaErrorInvalidResourceHandle", a.elapsed, a, cuda.event())
local untimed = cuda.event { timing = false }
untimed:record(stream)
stream:sync()
expect.error("cudaErrorInvalidResourceHandle", a.elapsed, a, untimed)
