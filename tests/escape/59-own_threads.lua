-- status: 4
-- command: run --ranks-as thread
-- never: expectation
-- The same on threads of the operating system: freed, reset, in flight.
scenario { ranks = 2 }

local attack = require "attack"
local x, y = cuda.buffer("uint8", 4096):fill(0), cuda.buffer("uint8", 4096):fill(0)
local _, a = C.cudaPointerGetAttributes(x)
C.check(C.cudaFree(a.devicePointer))
attack.through_c(x)
attack.through_methods(x, "was freed by cudaFree")
local t = spawn(function()
    local host = C.host("uint8", 4096)
    stream:delay(0.001)
    return C.cudaMemcpyAsync(host, y, 4096, C.cudaMemcpyDefault, stream)
end)
sleep(0.0005)
C.cudaDeviceReset()
attack.spray()
t:join()
attack.refused("was freed by cudaDeviceReset", function() return y[1] end)
