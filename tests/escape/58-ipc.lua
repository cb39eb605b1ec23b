-- status: 0
-- Memory of another process, by a handle that is made up.
scenario { ranks = 1 }

local x = cuda.buffer("uint8", 4096)
local rc, handle = C.cudaIpcGetMemHandle(x)
local forged = ("\x41"):rep(64)
for _, h in ipairs { handle or forged, forged, ("\0"):rep(64) } do
    local opened, p = C.cudaIpcOpenMemHandle(h, C.cudaIpcMemLazyEnablePeerAccess)
    if opened == 0 then
        expect.that(C.cudaFree(p) ~= 0)
        C.check(C.cudaIpcCloseMemHandle(p))
        expect.that(C.cudaMemset(p, 66, 64) ~= 0 or p == x.ptr)
    end
end
expect.that(C.cudaIpcCloseMemHandle(x) ~= 0)
x:fill(1)
