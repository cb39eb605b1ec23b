-- Like cases/stale_scalar.lua, but the scalar changes in the order of the stream, or is the host's.
scenario { ranks = 2 }

local scale = cuda.buffer("float32", 1):fill(0.5)
local op, x = world:premulsum("float32", scale), cuda.buffer("float32", 16):fill(2)
world:all_reduce(x, { op = op })
scale:fill(1, { stream = stream })
world:all_reduce(x, { op = op })
stream:sync()
expect.equal(x, 4)

local host = world:premulsum("float32", 0.5)
world:all_reduce(x, { op = host })
host:destroy()
scale:fill(4)
stream:sync()
expect.equal(x, 4)
