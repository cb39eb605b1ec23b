-- status: 4
-- prints: no longer allocated
-- Pageable memory is registered, unregistered and forgotten while a copy is on its way to it.
scenario { ranks = 1, devices = 2 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096, { device = 1 }):fill(66)
do
    local host = C.host("uint8", 4096):fill(7)
    C.check(C.cudaHostRegister(host, 4096, 0))
    C.cudaSetDevice(1)
    local s = cuda.stream()
    s:delay(0.001)
    C.check(C.cudaMemcpyAsync(host, x, 4096, C.cudaMemcpyDefault, s))
    C.check(C.cudaHostUnregister(host))
end
collectgarbage()
attack.spray()
expect.equal(C.cudaDeviceSynchronize(), 700)
