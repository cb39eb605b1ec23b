scenario { ranks = 2, about = "an operator for float16 in a reduction of float32, on all ranks" }

local x = cuda.buffer("float32", 8):fill(1)
local half = world:premulsum("float16", 0.5)
world:all_reduce(x, { op = half })
stream:sync()
