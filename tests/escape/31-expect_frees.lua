-- status: 1
-- prints: expectation
-- never: got 65
-- A function that gives what is wanted frees the buffer while it is being compared.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 8192):fill(7)
local _, a = C.cudaPointerGetAttributes(x)
attack.refused("this buffer was freed by cudaFree", expect.equal, x, function(i)
    if i == 4096 then
        C.check(C.cudaFree(a.devicePointer))
        attack.spray(8192)
    end
    return 7
end)
local y = cuda.buffer("uint8", 16):fill(7)
expect.equal(y, function(i) if i == 1 then y:free() attack.spray(16) end return 65 end)
