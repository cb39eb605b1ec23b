-- status: 0
-- never: expectation
-- A later allocation at the same address does not bring an old buffer back to life.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096):fill(1)
local view, seen = x:slice(1), x.ptr
local _, a = C.cudaPointerGetAttributes(x)
C.check(C.cudaFree(a.devicePointer))
local reused = 0
for i = 1, 50 do
    local y = cuda.buffer("uint8", 4096):fill(9)
    reused = reused + (y.ptr == seen and 1 or 0)
    attack.refused("was freed by cudaFree at line 10", function() return x[1] end)
    attack.refused("was freed by cudaFree at line 10", function() view[1] = 66 end)
    expect.equal(y, 9)
    y:free()
end
