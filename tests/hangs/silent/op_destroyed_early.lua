scenario { ranks = 2, about = "an operator destroyed before the group that uses it has ended" }

local x = cuda.buffer("float32", 4):fill(2)
nccl.group(function()
  local half = world:premulsum("float32", 0.5)
  world:all_reduce(x, { op = half })
  half:destroy()
end)
stream:sync()
expect.equal(x, 2)
