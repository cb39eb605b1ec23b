scenario { ranks = 2, about = "two communicators in one group read one buffer, and each has its own to write" }

local part = world:split{ color = 0 }
local x, y, z = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(0), cuda.buffer("float32", 8):fill(0)
for _ = 1, 2 do
  nccl.group(function()
    world:all_reduce(x, y)
    part:all_reduce(x, z)
  end)
  x:copy_from(y, { stream = stream }) -- behind both
end
stream:sync()
