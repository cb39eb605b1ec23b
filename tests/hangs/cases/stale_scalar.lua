scenario { ranks = 2, outcome = { wrong = true } }

local scale = cuda.buffer("float32", 1):fill(0.5)
local op, x = world:premulsum("float32", scale), cuda.buffer("float32", 16):fill(2)
stream:delay(1e-3)
world:all_reduce(x, { op = op })
if rank == 0 then scale:fill(4) end
stream:sync()
expect.equal(x, 2)
