-- status: 4
-- prints: no longer allocated
-- A copy on one device writes into pinned memory that goes with the reset of the other.
scenario { ranks = 1, devices = 2 }

local attack = require "attack"
local pinned = cuda.buffer("uint8", 4096, { memory = "pinned" }):fill(7)
local x = cuda.buffer("uint8", 4096, { device = 1 }):fill(66)
C.cudaSetDevice(1)
local s = cuda.stream()
s:delay(0.001)
C.check(C.cudaMemcpyAsync(pinned, x, 4096, C.cudaMemcpyDefault, s))
C.cudaSetDevice(0)
C.cudaDeviceReset()
attack.spray()
C.cudaSetDevice(1)
expect.equal(C.cudaStreamSynchronize(s), 700)
C.cudaSetDevice(0)
