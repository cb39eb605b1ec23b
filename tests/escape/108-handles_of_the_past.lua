-- status: 0
-- Handles of communicators that were forgotten mean no other one, nor memory.
scenario { ranks = 2 }
local x = cuda.buffer("uint8", 64):fill(1)
local old = {}
for i = 1, 8 do
    old[i] = world:split { color = 0 }
    old[i]:destroy()
end
local keep = world:split { color = 0 }
for _ = 1, 2000 do
    local c = world:split { color = 0 }
    c:destroy()
end
for i = 1, 8 do
    expect.that(not pcall(function() old[i]:all_reduce(x) end))
    expect.equal(C.ncclAllReduce(x, x, 1, C.ncclUint8, C.ncclSum, old[i], stream), C.ncclInvalidArgument)
    expect.equal(C.ncclCommDestroy(old[i]), C.ncclInvalidArgument)
    expect.equal(C.ncclCommAbort(old[i]), C.ncclInvalidArgument)
end
keep:all_reduce(x)
stream:sync()
expect.equal(x, 2)
