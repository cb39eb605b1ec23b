scenario { ranks = 8, params = { n = 400 }, about = "buffers that are all held before the first is freed" }
local held = {}
for i = 1, param.n do held[i] = cuda.buffer("float32", 2) end
for i = 1, param.n do held[i]:free() end
