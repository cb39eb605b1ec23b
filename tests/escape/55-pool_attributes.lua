-- status: 0
-- Calls that write to the host at once: attributes of pools, parameters, scalars.
scenario { ranks = 1 }

local attack = require "attack"
local pinned = cuda.buffer("uint8", 4096, { memory = "pinned" }):fill(0)
local _, alias = C.cudaHostGetDevicePointer(pinned, 0)
local small = C.host("uint8", 4):fill(7)
local _, pool = C.cudaDeviceGetDefaultMemPool(0)
C.check(C.cudaFreeHost(alias))
attack.spray()
for _, p in ipairs { pinned, alias, pinned.ptr + 8 } do
    for _, attribute in ipairs { C.cudaMemPoolAttrReleaseThreshold, C.cudaMemPoolAttrUsedMemHigh } do
        expect.that(C.cudaMemPoolGetAttribute(pool, attribute, p) ~= 0)
        expect.that(C.cudaMemPoolSetAttribute(pool, attribute, p) ~= 0)
    end
end
attack.refused("do not fit: the host memory", C.cudaMemPoolGetAttribute, pool,
               C.cudaMemPoolAttrReleaseThreshold, small)
attack.refused("do not fit: the host memory", C.ncclRedOpCreatePreMulSum, small, C.ncclFloat64,
               C.ncclScalarHostImmediate, world)
expect.equal(small, 7)
