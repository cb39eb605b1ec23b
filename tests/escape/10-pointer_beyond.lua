-- status: 0
-- A pointer may be moved anywhere, and used nowhere but inside of its own memory.
scenario { ranks = 1 }

local host = C.host("uint8", 64)
local x = cuda.buffer("uint8", 64):fill(7)
for _, by in ipairs { -4096, -64, -1, 1, 64, 4096, 1 << 20, 1 << 46, math.mininteger } do
    expect.equal(C.cudaMemcpy(host, x.ptr + by, 64, C.cudaMemcpyDefault), 1)
    expect.equal(C.cudaMemcpy(x.ptr + by, host, 64, C.cudaMemcpyDefault), 1)
    expect.equal(C.cudaMemset(x.ptr + by, 65, 64), 1)
end
for i = 1, 64 do expect.equal(host[i], 0) end
expect.equal(x, 7)
