scenario { ranks = 2, params = { wait = false }, about = "a read that nothing orders behind its write" }

local x, s = cuda.buffer("float32", 8):fill(0), cuda.stream()
world:all_reduce(x, { stream = s })
if param.wait then s:sync() end
local first = x[1]
s:sync()
