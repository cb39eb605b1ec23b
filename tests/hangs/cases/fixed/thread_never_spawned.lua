scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
local y = cuda.buffer("float32", 8):fill(rank)
local loader = world:split { color = 0, name = "loader" }
local side = cuda.stream()
local function load()
  for _ = 1, 3 do
    loader:all_reduce(y, { stream = side })
    side:sync()
  end
end
local thread
if rank >= 0 then
  thread = spawn(load)
end
for _ = 1, 3 do
  world:all_reduce(x)
  stream:sync()
end
if thread then
  thread:join()
end
