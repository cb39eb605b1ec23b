-- status: 0
-- never: AAAA
-- Pinned memory goes with the device that it was made on; the other devices of the rank stay.
scenario { ranks = 1, devices = 2 }

local attack = require "attack"
local kinds = {}
for _, memory in ipairs { "device", "pinned", "managed", "nccl" } do
    kinds[#kinds + 1] = cuda.buffer("uint8", 4096, { memory = memory, device = 1 }):fill(0)
end
C.cudaSetDevice(1)
C.cudaDeviceReset()
C.cudaSetDevice(0)
for _, x in ipairs(kinds) do attack.through_methods(x, "was freed by cudaDeviceReset at line 12") end
