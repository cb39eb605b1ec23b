scenario { ranks = 4, about = "averages of integers that divide exactly, with sums that just fit" }

local x = cuda.buffer("int32", 8):fill(2 * rank - 1) -- -1, 1, 3, 5
local low = cuda.buffer("int8", 8):fill(-32)
local high = cuda.buffer("uint8", 8):fill(63)
world:all_reduce(x, { op = "avg" })
world:all_reduce(low, { op = "avg" })
world:all_reduce(high, { op = "avg" })
stream:sync()
expect.equal(x, 2)
expect.equal(low, -32)
expect.equal(high, 63)
