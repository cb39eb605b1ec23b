-- Each step makes a communicator, uses it and destroys it.
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("int32", 4):fill(rank)
for step = 1, 2 do
  local part = world:split { color = 0 }
  part:all_reduce(x)
  part:all_reduce(y)
  stream:sync()
  part:destroy()
end
world:all_reduce(x)
stream:sync()
