-- status: 0
-- command: repl
-- prints: (freed)
-- prints: was freed by cudaDeviceReset
-- never: 65
-- The same after a reset, of which no buffer hears.
x, y = cuda.buffer("uint8", 4096):fill(0), cuda.buffer("uint8", 4096, { memory = "pinned" }):fill(0)
C.cudaDeviceReset()
s = {} for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
:buffers
x
y
y[1]
x:fill(66)
:buffers
