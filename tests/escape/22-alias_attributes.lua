-- status: 0
-- Freed by the pointer that cudaPointerGetAttributes gives, which knows no buffer.
scenario { ranks = 1 }

local attack = require "attack"
local x, y = cuda.buffer("uint8", 4096):fill(0), cuda.buffer("uint8", 4096):fill(0)
local _, a = C.cudaPointerGetAttributes(x)
C.check(C.cudaFree(a.devicePointer))
attack.through_c(x)
attack.through_methods(x, "was freed by cudaFree at line 8")
_, a = C.cudaPointerGetAttributes(y)
C.check(C.cudaFreeAsync(a.devicePointer, stream))
attack.through_methods(y, "was freed by cudaFreeAsync at line 12")
