-- status: 0
-- Pinned memory, freed by what devices call it.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096, { memory = "pinned" }):fill(0)
local y = cuda.buffer("uint8", 4096, { memory = "pinned" }):fill(0)
local _, alias = C.cudaHostGetDevicePointer(x, 0)
C.check(C.cudaFreeHost(alias))
attack.through_c(x)
attack.through_methods(x, "was freed by cudaFreeHost at line 9")
local _, a = C.cudaPointerGetAttributes(y)
C.check(C.cudaFreeHost(a.hostPointer))
attack.through_methods(y, "was freed by cudaFreeHost at line 13")
