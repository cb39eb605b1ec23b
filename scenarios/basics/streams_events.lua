scenario { ranks = 2, about = "overlap on two streams, ordered by an event" }

local compute = cuda.stream()
local done    = cuda.event()
local start, finish = cuda.event(), cuda.event()

local grad, one = cuda.buffer("float32", 256):fill(rank), cuda.buffer("float32", 256):fill(1)

-- A kernel of a millisecond on one stream, then the communication on the other. The event makes
-- the second wait for the first on the devices; the host waits for neither.
start:record(compute)
compute:delay(1e-3)
grad:add(one, { stream = compute })
done:record(compute)

stream:wait(done)
world:all_reduce(grad)
finish:record(stream)
stream:sync()

expect.equal(grad, nranks * (nranks - 1) / 2 + nranks)
expect.that(done:query(), "what the other stream waited for is over as well")
expect.that(start:elapsed(finish) >= 1e-3, "the kernel's time is in it")
