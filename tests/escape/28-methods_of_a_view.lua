-- status: 0
-- Views, parts of views and the pointers of both have no memory but the root's.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 8192):fill(0)
local view = x:slice(1000, 4096)
local part = view:part(1, 4)
local p = part.ptr + 3
local _, a = C.cudaPointerGetAttributes(x)
C.check(C.cudaFree(a.devicePointer)); expect.that(C.cudaMemset(p, 66, 1) ~= 0) -- before other memory takes the place
attack.through_methods(part, "was freed by cudaFree at line 11")
attack.through_methods(view, "was freed by cudaFree at line 11")
attack.through_methods(x, "was freed by cudaFree at line 11")
