scenario { ranks = 4 }

local function from(root)
  local x = cuda.buffer("float32", 16)
  world:broadcast(x, { root = root })
end

if rank ~= 3 then from(0) end
from(1)
from(2)
stream:sync()
