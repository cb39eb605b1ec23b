-- status: 0
-- A communicator that does not block fills the handle of a window when all ranks have come.
scenario { ranks = 2, world = { blocking = false } }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096, { memory = "nccl" })
world:wait_ready()
for _ = 1, 20 do
    if rank == 1 then sleep(0.001) end
    local ok, w = pcall(world.window, world, x)
    if ok and w then pcall(w.deregister, w) end
    w = nil
    collectgarbage()
    attack.spray(64)
    world:wait_ready()
    if rank == 0 then sleep(0.001) end
    C.ncclCommWindowRegister(world, x, 4096, 0)
    collectgarbage()
    attack.spray(80)
    world:wait_ready()
end
