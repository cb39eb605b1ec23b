scenario { ranks = 2 }

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()
local thread = spawn(function()
  sleep(0.001)
  rows:all_reduce(y)
end)
sleep(0.002)
world:all_reduce(x)
thread:join()
stream:sync()
