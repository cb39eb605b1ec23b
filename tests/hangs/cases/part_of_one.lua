scenario { ranks = 4 }

local half = world:split { color = rank == 2 and 1 or 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
C.ncclBroadcast(x, x, 8, C.ncclFloat32, 1, half, stream)
if rank ~= 2 then
  world:all_reduce(x)
end
stream:sync()
