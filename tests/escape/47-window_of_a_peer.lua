-- status: 4
-- prints: freed
-- A put is on its way to a window whose memory the peer frees.
scenario { ranks = 2 }

local attack = require "attack"
local x = cuda.buffer("float32", 1024, { memory = "nccl" }):fill(rank)
local w = world:window(x, { symmetric = true })
if rank == 0 then
    stream:delay(0.01)
    world:put_signal(x, 1, w)
    C.cudaStreamSynchronize(stream)
else
    world:signal(0)
    local _, alias = C.ncclWinGetUserPtr(world, w)
    C.check(C.ncclMemFree(alias))
    attack.spray()
    attack.refused("was freed by ncclMemFree", function() return x[1] end)
    sleep(0.02)
end
