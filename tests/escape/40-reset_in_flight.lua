-- status: 4
-- never: expectation
-- never: AAAA
-- A device is reset while copies to and from pageable memory wait behind a long delay.
scenario { ranks = 1, devices = 2 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096):fill(66)
local pinned = cuda.buffer("uint8", 4096, { memory = "pinned" }):fill(66)
local threads = {}
for i = 1, 8 do
    threads[i] = spawn(function()
        local host, s = C.host("uint8", 4096):fill(7), cuda.stream()
        s:delay(0.001 * i)
        C.cudaMemcpyAsync(host, x, 4096, C.cudaMemcpyDefault, s)
        C.cudaMemcpyAsync(pinned, x, 4096, C.cudaMemcpyDefault, s)
        return host
    end)
end
sleep(0.004)
C.cudaDeviceReset()
attack.spray()
for i = 1, 8 do threads[i]:join() end
collectgarbage()
attack.spray()
