-- status: 4
-- never: expectation
-- prints: cudaStreamDestroy
-- cudaDeviceReset frees a buffer behind its back; then every method is tried. What is ready-made
-- goes with the device, too, which the end of the script reports.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096):fill(0)
local view = x:slice(100, 200)
C.cudaDeviceReset()
local text = "buffer was freed by cudaDeviceReset at line 11"
attack.spray()
for _, b in ipairs { x, view } do
    attack.refused(text, function() return b[1] end)
    attack.refused(text, function() b[1] = 66 end)
    for _, method in ipairs { "get", "dump", "free" } do attack.refused(text, b[method], b) end
    attack.refused(text, b.fill, b, 66)
    attack.refused(text, b.fill, b, "random")
    expect.that(tostring(b):find("(freed)", 1, true), tostring(b))
end
print(x, view, string.format("%s", x))
