-- status: 0
-- The pointer of one buffer, moved to another's memory: the other one is freed.
scenario { ranks = 1 }

local attack = require "attack"
local x, y = cuda.buffer("uint8", 4096):fill(0), cuda.buffer("uint8", 4096):fill(5)
C.check(C.cudaFree(y.ptr + (x.ptr - y.ptr)))
expect.equal(y, 5)
attack.through_c(x)
attack.through_methods(x, "was freed by cudaFree at line 7")
y[1] = 6
expect.equal(y[1], 6)
