-- The first rank alone gathers and then reduces in a branch, while its neighbor waits for it on their pair.
scenario { ranks = 4 }
local pair = world:split { color = rank // 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 4):fill(1)
local whole = cuda.buffer("float32", 16):fill(0)
for step = 1, 2 do
  if rank == 0 and step == 1 then
    world:all_gather(y, whole)
    stream:sync()
    world:all_reduce(y)
  end
  pair:all_reduce(x)
  world:all_reduce(x)
  stream:sync()
end
