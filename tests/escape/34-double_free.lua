-- status: 0
-- Freed twice, by a method and by C in turn; nothing is freed that is somebody else's.
scenario { ranks = 1 }

local attack = require "attack"
local x, y = cuda.buffer("uint8", 4096), cuda.buffer("uint8", 4096):fill(5)
x:free()
attack.refused("was freed at line 7", x.free, x)
local z = cuda.buffer("uint8", 65536)
C.check(C.cudaFree(z))
expect.equal(C.cudaFree(z), 1)
attack.refused("was freed by cudaFree at line 10", z.free, z)
expect.equal(C.cudaFreeAsync(z, stream), 1)
expect.equal(C.cudaFree(y.ptr + 8), 1)
expect.equal(C.cudaFreeHost(y), 1)
expect.equal(C.cudaFree(C.host("uint8", 8)), 1)
expect.equal(y, 5)
