-- status: 0
-- Rows and pitches that overflow, sizes below nothing, copies onto themselves.
scenario { ranks = 1 }

local host, x = C.host("uint8", 64):fill(7), cuda.buffer("uint8", 64):fill(9)
local pinned = cuda.buffer("uint8", 64, { memory = "pinned" }):fill(9)
local big = { -1, math.mininteger, math.maxinteger, 1 << 62, 1 << 33, 65 }
local function fails(call, ...)
    local ok, rc = pcall(call, ...)
    expect.that(not ok or rc ~= 0)
end
for _, n in ipairs(big) do
    for _, p in ipairs { x, pinned } do
        fails(C.cudaMemcpy2D, p, n, p.ptr + 1, n, 8, 8, C.cudaMemcpyDefault)
        fails(C.cudaMemcpy2D, p, 64, p.ptr + 1, 64, 8, n, C.cudaMemcpyDefault)
        fails(C.cudaMemset2D, p, n, 66, 8, 9)
        fails(C.cudaMemset2D, p, 8, 66, 8, n)
        fails(C.cudaMemset, p, 66, n)
        fails(C.cudaMemcpy, p, p, n, C.cudaMemcpyDefault)
        fails(C.cudaMemcpy2D, host, n, p, n, 8, 9, C.cudaMemcpyDefault)
        fails(C.cudaMemcpy2D, p, 8, host, 8, 8, n, C.cudaMemcpyDefault)
        fails(C.cudaMemcpy, host, p, n, C.cudaMemcpyDefault)
    end
end
C.check(C.cudaMemcpy(pinned, pinned.ptr + 8, 56, C.cudaMemcpyDefault))
C.check(C.cudaMemcpy(x.ptr + 8, x, 56, C.cudaMemcpyDefault))
C.check(C.cudaMemcpy(host, host.ptr + 8, 56, C.cudaMemcpyDefault))
expect.equal(x, 9)
expect.equal(pinned, 9)
expect.equal(host, 7)
