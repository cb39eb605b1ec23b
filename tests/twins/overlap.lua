scenario { ranks = 2, about = "overlap on two streams, ordered by an event" }

local compute = cuda.stream()
local done = cuda.event { timing = false }
local grad = cuda.buffer("float32", 256):fill(rank)
local one = cuda.buffer("float32", 256):fill(1)
local copied = cuda.buffer("float32", 256):fill(0)

compute:delay(1e-3)
grad:add(one, { stream = compute })
done:record(compute)
stream:wait(done)
world:all_reduce(grad)
copied:copy_from(grad, { stream = stream })
stream:sync()
expect.equal(grad, nranks * (nranks - 1) / 2 + nranks)
expect.equal(copied, 3)
done:sync()
cuda.sync()
sleep(0.5)
barrier()
