-- status: 4
-- command: run --draw
-- never: 65
-- Drawings show the values of a run: of a call whose memory has gone there are none.
scenario { ranks = 2 }

local x = cuda.buffer("uint8", 4096):fill(rank)
local _, a = C.cudaPointerGetAttributes(x)
if rank == 0 then
    stream:delay(0.01)
    world:all_reduce(x)
    C.cudaFreeAsync(a.devicePointer, cuda.stream { blocking = false })
    sleep(0.005)
    local s = {}
    for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
else
    world:all_reduce(x)
end
C.cudaStreamSynchronize(stream)
