scenario {
  ranks = 2,
  about = "pre-mul-sum with a scalar in device memory: read when it is executed",
}

local scale = cuda.buffer("float32", 1):fill(1)
local op    = world:premulsum("float32", scale) -- NCCL keeps the pointer, not the value

local x = cuda.buffer("float32", 64):fill(1)

-- Both are put on the stream, and the copy comes first: so the factor is 3, although it was 1 when
-- the operator was made, and may be 1 still when all_reduce returns.
local three = cuda.buffer("float32", 1):fill(3)
scale:copy_from(three, { stream = stream })
world:all_reduce(x, { op = op })
stream:sync()
expect.equal(x, 3 * nranks)

-- The same operator again, with whatever is there now: no need to make a new one for each step.
scale:fill(0.5)
world:all_reduce(x, { op = op })
stream:sync()
expect.equal(x, 1.5 * nranks * nranks)
op:destroy()
