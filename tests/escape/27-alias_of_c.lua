-- status: 0
-- never: AAAA
-- Memory that C has allocated has no buffer: its pointers are addresses, and stale ones are refused.
scenario { ranks = 1 }

local attack = require "attack"
local _, p = C.cudaMalloc(4096)
local _, h = C.cudaMallocHost(4096)
local _, m = C.ncclMemAlloc(4096)
C.check(C.cudaFree(p))
C.check(C.cudaFreeHost(h))
C.check(C.ncclMemFree(m))
local host = C.host("uint8", 64):fill(7)
attack.spray()
for _, q in ipairs { p, h, m, p + 100, h + 100, m + 100 } do
    expect.that(C.cudaMemcpy(host, q, 64, C.cudaMemcpyDefault) ~= 0)
    expect.that(C.cudaMemcpy(q, host, 64, C.cudaMemcpyDefault) ~= 0)
    expect.that(C.cudaMemset(q, 66, 64) ~= 0)
end
expect.equal(host, 7)
