scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
local function load_batch(step)
  if rank == 3 and step == 2 then error("batch 2 is empty") end
end
for step = 1, 3 do
  pcall(load_batch, step)
  world:all_reduce(x)
  world:broadcast(x)
  stream:sync()
end
