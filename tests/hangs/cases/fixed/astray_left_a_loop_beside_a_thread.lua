-- All ranks make all rounds, beside a thread with a communicator of its own.
scenario { ranks = 4 }
local loader = world:split { color = 0 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 4):fill(1)
local thread = spawn(function()
  local side, batch = cuda.stream(), cuda.buffer("float32", 16):fill(1)
  for i = 1, 2 do
    loader:all_reduce(batch, { stream = side })
    side:sync()
  end
end)
for step = 1, 3 do
  world:all_reduce(x)
  world:all_reduce(y)
  if step % 2 == 0 then
    world:reduce(y, { root = 0 })
  end
  stream:sync()
  world:broadcast(y, { root = 0 })
  stream:sync()
end
world:all_reduce(y)
stream:sync()
thread:join()
