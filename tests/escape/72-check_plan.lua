-- status: 0
-- command: check --plan
-- never: 65
-- never: AAAA
-- A plan tells of calls by what a script gives them: of memory that has gone it gives nothing.
scenario { ranks = 1 }
local x = cuda.buffer("uint8", 4096):fill(0)
local _, a = C.cudaPointerGetAttributes(x)
C.cudaFree(a.devicePointer)
local s = {}
for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
local _, value = pcall(function() return x[2000] end)
cuda.buffer("uint8", 1000 + (math.tointeger(value) or 0))
pcall(function() x[1] = 66 end)
pcall(x.fill, x, 66)
pcall(x.dump, x)
world:all_reduce(cuda.buffer("uint8", 64))
