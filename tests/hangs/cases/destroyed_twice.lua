scenario { ranks = 3 }

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
half:all_reduce(x)
half:destroy()
if rank > 0 then
  C.ncclCommDestroy(half)
end
