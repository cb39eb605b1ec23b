-- status: 0
-- One thread frees, or resets another device, while the next one is in the middle of a call.
scenario { ranks = 1, devices = 2 }

local attack = require "attack"
local x = cuda.buffer("uint8", 3 << 20):fill(0)
local y = cuda.buffer("uint8", 3 << 20, { device = 1 }):fill(0)
local _, a = C.cudaPointerGetAttributes(x)
local reader = spawn(function()
    local text = "nothing"
    for _ = 1, 100 do
        local ok, e = pcall(x.get, x)
        if not ok then text = tostring(e) end
    end
    return text
end)
local writer = spawn(function()
    local ok, e
    repeat ok, e = pcall(y.fill, y, function() return 66 end) until not ok
    return tostring(e)
end)
C.check(C.cudaFree(a.devicePointer))
C.cudaSetDevice(1)
C.cudaDeviceReset()
C.cudaSetDevice(0)
attack.spray(3 << 20)
local read, written = reader:join(), writer:join()
expect.that(read:find("was freed by cudaFree at line 22", 1, true), read)
expect.that(written:find("was freed by cudaDeviceReset at line 24", 1, true), written)
