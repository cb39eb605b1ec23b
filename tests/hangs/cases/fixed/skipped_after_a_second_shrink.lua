-- Each step makes a communicator of two of three ranks.
scenario { ranks = 3 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("int32", 4):fill(rank)
for step = 1, 2 do
  world:all_reduce(x)
  if rank < 2 then
    local part = world:shrink { 2 }
    part:all_reduce(y)
  end
end
world:reduce(x)
stream:sync()
