scenario { ranks = 3, about = "a rank dies, and the others abort both communicators in one group" }

local rows = world:split { color = 0, name = "rows" }
local x = cuda.buffer("float32", 8):fill(1)
rows:all_reduce(x)
world:all_reduce(x)
stream:sync()
if rank == 2 then
  fault.kill()
end
rows:all_reduce(x)
world:all_reduce(x)
nccl.group(function()
  world:abort()
  rows:abort()
end)
