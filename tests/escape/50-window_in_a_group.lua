-- status: 0
-- A window is given up inside of the group that makes it, whose end fills its handle.
scenario { ranks = 2 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096, { memory = "nccl" })
for _ = 1, 20 do
    nccl.group(function()
        local w = world:window(x)
        pcall(w.deregister, w)
        w = nil
        C.ncclCommWindowRegister(world, x, 4096, 0)
        collectgarbage()
        attack.spray(64)
        collectgarbage()
        attack.spray(80)
    end)
end
