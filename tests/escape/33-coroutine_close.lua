-- status: 0
-- Variables that are closed, coroutines and sorted lists hold on to a buffer that has gone.
scenario { ranks = 1 }

local attack = require "attack"
local step = coroutine.wrap(function()
    local x <close> = cuda.buffer("uint8", 4096):fill(0)
    coroutine.yield(x)
    attack.refused("was freed by cudaFree", function() return x[1] end)
    coroutine.yield("refused")
end)
local x = step()
local _, a = C.cudaPointerGetAttributes(x)
C.check(C.cudaFree(a.devicePointer))
attack.spray()
expect.equal(step(), "refused")
step()
do
    local y <close> = cuda.buffer("uint8", 4096)
    local _, b = C.cudaPointerGetAttributes(y)
    C.check(C.cudaFree(b.devicePointer))
end
