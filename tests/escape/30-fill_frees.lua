-- status: 0
-- A function that gives the elements frees the buffer while it is being filled.
scenario { ranks = 1 }

local attack = require "attack"
for _, memory in ipairs { "device", "pinned", "managed" } do
    local x = cuda.buffer("uint8", (1 << 20) + 4096, { memory = memory }):fill(0)
    local _, a = C.cudaPointerGetAttributes(x)
    local free = memory == "pinned" and C.cudaFreeHost or C.cudaFree
    attack.refused("this buffer was freed by", x.fill, x, function(i)
        if i == 1 then
            C.check(free(a.devicePointer))
            attack.spray(1 << 20)
        end
        return 66
    end)
end
