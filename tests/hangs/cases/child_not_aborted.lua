scenario { ranks = 3 }

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
half:all_reduce(x)
stream:sync()
if rank == 1 then
  world:abort()
  return
end
half:all_reduce(x)
stream:sync()
