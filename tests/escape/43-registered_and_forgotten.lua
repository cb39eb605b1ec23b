-- status: 0
-- never: AAAA
-- Registered memory is what devices write to, though the script has forgotten its buffer.
scenario { ranks = 2 }

local attack = require "attack"
local function forget()
    local host = C.host("float32", 1024):fill(rank)
    C.check(C.cudaHostRegister(host.ptr, 4096, 0))
    local _, alias = C.cudaHostGetDevicePointer(host, 0)
    return alias
end
local alias = forget()
collectgarbage()
attack.spray()
for _ = 1, 3 do
    C.check(C.ncclAllReduce(alias, alias, 1024, C.ncclFloat32, C.ncclSum, world, stream))
    collectgarbage()
    attack.spray()
end
stream:sync()
local out = cuda.buffer("float32", 1024)
C.check(C.cudaMemcpy(out, alias, 4096, C.cudaMemcpyDefault))
expect.equal(out, 4)
