-- status: 0
-- Functions in a stream run when the script has forgotten them, and what they hold has been freed.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096):fill(7)
local seen = {}
local _, a = C.cudaPointerGetAttributes(x)
stream:delay(0.001)
do
    local big = ("B"):rep(5000)
    C.check(C.cudaLaunchHostFunc(stream, function(data)
        seen[1] = tostring(select(2, pcall(function() return x[1] end)))
        seen[2] = tostring(select(2, pcall(x.fill, x, 66)))
        seen[3] = #data
    end, big))
end
C.check(C.cudaFreeAsync(a.devicePointer, cuda.stream { blocking = false }))
sleep(0.0005)
collectgarbage()
attack.spray()
stream:sync()
expect.that(seen[1]:find("was freed by cudaFreeAsync", 1, true), seen[1])
expect.that(seen[2]:find("was freed by cudaFreeAsync", 1, true), seen[2])
expect.equal(seen[3], 5000)
