scenario { ranks = 2, about = "after an error and an abort: what had ended, what is written since, inputs, and another communicator" }

local x, y, z = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8), cuda.buffer("float32", 8)
local other = world:split { color = 0, name = "other" }
other.stream = cuda.stream()
local done = cuda.event()

world:all_reduce(x, y)
done:record(stream)
done:sync() -- y is there
world:all_reduce(y, z)
other:all_reduce(x)
fault.async_error { rank = rank, code = "ncclSystemError" }
assert(world:async_error() == "ncclSystemError")
world:abort()
expect.equal(y, nranks) -- the result that had ended, the input of the one that had not
z:copy_from(y)
expect.equal(z, nranks)
other.stream:sync()
expect.equal(x, nranks) -- of another communicator
