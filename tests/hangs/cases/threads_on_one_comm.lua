scenario { ranks = 2 }

local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
local other = cuda.stream()
local thread = spawn(function()
  world:all_reduce(y, { stream = other })
end)
world:all_reduce(x)
thread:join()
cuda.sync()
