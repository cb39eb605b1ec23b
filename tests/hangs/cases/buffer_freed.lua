scenario { ranks = 2 } -- works as long as nobody is given the memory

local side = cuda.stream()
local x, y = cuda.buffer("int32", 16):fill(1), cuda.buffer("int32", 16)
world:all_reduce(x, y)
barrier()
side:delay(1)
x:free { stream = side }
stream:sync()
expect.equal(y, 2)
