scenario { ranks = 3 }

local raises = require "raises"
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
if rank == 2 then
  raises.boom()
end
world:all_reduce(x)
stream:sync()
