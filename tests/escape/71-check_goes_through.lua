-- status: 2
-- command: check -q
-- prints: was freed by cudaDeviceReset
-- never: 65
-- check goes through what each rank would call: nothing is read and written there either.
scenario { ranks = 1 }
local x = cuda.buffer("uint8", 4096):fill(0)
C.cudaDeviceReset()
local s = {}
for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
error(tostring(x[2000]))
