-- status: 0
-- Managed memory, freed by either of its addresses.
scenario { ranks = 1 }

local attack = require "attack"
for _, side in ipairs { "devicePointer", "hostPointer" } do
    local x = cuda.buffer("uint8", 4096, { memory = "managed" }):fill(0)
    local _, a = C.cudaPointerGetAttributes(x)
    C.check(C.cudaFree(a[side]))
    attack.through_c(x)
    attack.through_methods(x, "was freed by cudaFree at line 9")
end
