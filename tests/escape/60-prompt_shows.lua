-- status: 0
-- command: repl
-- prints: uint8[4096] (freed)
-- prints: was freed by cudaFree
-- never: 65
-- The prompt shows buffers without a call of the driver: by their names, in tables, in :buffers.
x = cuda.buffer("uint8", 4096):fill(0)
v = x:slice(100)
_, a = C.cudaPointerGetAttributes(x)
C.cudaFree(a.devicePointer)
s = {} for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
x
v
{ x, { v } }
:buffers
:ranks
x[1]
x:get(1, 4)
tostring(x)
