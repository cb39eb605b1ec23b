-- status: 3
-- command: run --repair
-- prints: HANG
-- never: AAAA
-- Edits copy what a call reads into larger memory, and make calls with buffers of the script's: those
-- that have gone are none.
scenario { ranks = 2 }

local x, y = cuda.buffer("float32", 1024):fill(rank), cuda.buffer("float32", 64):fill(rank)
local _, a = C.cudaPointerGetAttributes(x)
world:all_reduce(y)
stream:sync()
if rank == 1 then
    C.cudaFree(a.devicePointer)
    local s = {}
    for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
    world:all_reduce(y)
else
    world:all_reduce(x)
end
stream:sync()
